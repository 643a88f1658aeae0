import type { Row } from "./measure.ts";
import { checkRow } from "./rows/check.ts";
import { durableRows } from "./rows/durable.ts";
import { engineRows } from "./rows/engine.ts";
import { memoryRows } from "./rows/memory.ts";
import { parkedRow } from "./rows/parked.ts";
import { resumeRow } from "./rows/resume.ts";
import { scriptRow } from "./rows/script.ts";
import { startUpRows } from "./rows/start-up.ts";

export const rows: readonly Row[] = [
  ...durableRows,
  scriptRow,
  ...engineRows,
  checkRow,
  ...startUpRows,
  resumeRow,
  ...memoryRows,
  parkedRow,
];
