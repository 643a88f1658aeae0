import { hash } from "node:crypto";
import { jsonLine } from "../json.ts";

export function sha256(text: string): string {
  return hash("sha256", text, "hex");
}

/** The one text that a receipt may have: no byte of the file is free. */
export function textOf(receipt: object): string {
  return jsonLine(receipt, 2);
}

/** Of the fields as they stand, in their order. */
export function sealOf(fields: object): string {
  return sha256(textOf(fields));
}
