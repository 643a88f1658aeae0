import { realpathSync } from "node:fs";

/** Stands for the workspace in a cassette, so that it plays in any folder. */
const mark = "⟦workspace⟧";

/** Puts the mark for every way to write the workspace's path, and back. */
export function placesOf(workspace: string): { abstract(text: string): string; concrete(text: string): string } {
  const real = realOf(workspace);
  // The longer first: one may be the end of the other.
  const paths = [...new Set([real, workspace])].toSorted((a, b) => b.length - a.length);
  return {
    abstract: (text) => paths.reduce((rest, path) => rest.replaceAll(path, mark), text),
    concrete: (text) => text.replaceAll(mark, workspace),
  };
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
