/** The name of a node that is a map's whole body. */
export const bodyNode = "do";
