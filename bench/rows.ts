import type { Row } from "./measure.ts";
import { startUpRows } from "./rows/start-up.ts";

export const rows: readonly Row[] = [...startUpRows];
