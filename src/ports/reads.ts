/**
 * What an agent may read, and the record of what it did. Paths are relative to the workspace
 * with slashes, links followed; one outside of it is absolute.
 */
export interface Reads {
  /** Whether anything is outside of it. */
  readonly limited: boolean;
  /** Which of these files it may read. Rejects where nobody can tell, and then it may read none. */
  among(paths: readonly string[]): Promise<ReadonlySet<string>>;
  /** The content of a file goes to it. */
  gave(path: string, content: string): void;
  /** It asked for a file that it may not read; answers why not. */
  refused(path: string): string;
  /** It made a file that was not there before, which it may read from now on. */
  made(path: string): void;
  /** By its own account, it reads a file with means that are not ours. The path is as it names it. */
  claimed(path: string): void;
}
