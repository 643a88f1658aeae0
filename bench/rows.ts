import type { Row } from "./measure.ts";
import { checkRow } from "./rows/check.ts";
import { engineRows } from "./rows/engine.ts";
import { startUpRows } from "./rows/start-up.ts";

export const rows: readonly Row[] = [...engineRows, checkRow, ...startUpRows];
