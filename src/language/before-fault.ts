import type { Report } from "./codes.ts";
import { readBody } from "./expand/body.ts";
import { documentFields, graphKeys, watchKeys } from "./fields/document.ts";
import { readPart } from "./read/table.ts";
import type { Plugins } from "./plugin-node.ts";
import { nodeOrigins, readNode } from "./nodes.ts";
import { Reading } from "./read/reading.ts";
import { overlayStock } from "./expand/supply.ts";
import type { LocatedMap } from "./tree.ts";
import { valueOf } from "./tree.ts";

/**
 * Reports what is wrong in the fields of the document and of its nodes that stand before a fault of syntax. Of what is
 * missing, of names and of the graph nothing is said: the rest may hold it.
 */
export function readBefore(text: string, root: LocatedMap, report: Report, plugins: Plugins): void {
  const top = new Reading((found) => found.code === "missing-field" || report(found));
  readPart(root, documentFields, top, [...graphKeys, ...watchKeys]);
  const nodes = valueOf(root, "nodes");
  if (nodes?.kind !== "map") return;
  const reading = new Reading(report);
  const origins = nodeOrigins(nodes, reading);
  overlayStock(origins, plugins);
  reading.nodeNames = new Set(origins.keys());
  reading.readBody = (at, field) => readBody(at, field, text, reading, plugins, () => {});
  for (const [id, { value }] of origins) readNode(id, value, reading, plugins);
}
