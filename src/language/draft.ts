import type { Node } from "../model/node.ts";

type Part<N> = N extends Node
  ? Pick<N, "id" | "type"> &
      Partial<Omit<N, "id" | "type">> & {
        /** Fields that are written, well or misspelt, but could not be read; absent when the node is whole. */
        readonly refused?: ReadonlySet<string>;
      }
  : never;

/** A node as far as it could be read: of its type, with the fields that are sound. A whole node is one too. */
export type Draft = Part<Node>;

/** What one node reads to. */
export type NodeReading =
  | { readonly whole: true; readonly node: Node }
  | { readonly whole: false; readonly node: Draft };

/** The author wrote this field, but what it says is not known: nothing follows from its absence. */
export function isRefused(node: Draft, field: string): boolean {
  return node.refused?.has(field) === true;
}

export function fromStock(read: NodeReading, stock: string): NodeReading {
  return read.whole ? { whole: true, node: { ...read.node, stock } } : { whole: false, node: { ...read.node, stock } };
}

export function wholeOnes(drafts: ReadonlyMap<string, NodeReading>): ReadonlyMap<string, Node> {
  return new Map([...drafts].flatMap(([id, read]) => (read.whole ? [[id, read.node] as const] : [])));
}

export function draftsOf(readings: ReadonlyMap<string, NodeReading>): ReadonlyMap<string, Draft> {
  return new Map([...readings].map(([id, { node }]) => [id, node]));
}
