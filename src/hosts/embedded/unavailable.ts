import { messageOf } from "../../model/thrown.ts";
import { StoreUnavailable } from "../../ports/journal.ts";

/**
 * Primary result codes of SQLite (https://sqlite.org/rescode.html) that say
 * something about the store rather than about a statement.
 */
const codes = {
  error: 1,
  busy: 5,
  readonly: 8,
  ioerr: 10,
  corrupt: 11,
  full: 13,
  cantopen: 14,
  perm: 3,
  auth: 23,
  notadb: 26,
} as const;

/** Whether another connection holds the write lock: the one fault that waiting cures. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === codes.busy;
}

/**
 * What an error of SQLite or of the file system means for the store at `path`;
 * anything else is a bug and comes back as it is.
 */
export function explain(error: unknown, path: string): unknown {
  if (error instanceof StoreUnavailable) return error;
  switch (primaryCode(error)) {
    case codes.busy:
      return new StoreUnavailable(
        `the store ${path} is held by another process`,
        "look for a hung trammel or another program that has the file open, end it and try again",
        error,
      );
    case codes.full:
      return noSpace(path, error);
    case codes.readonly:
    case codes.perm:
    case codes.auth:
    case codes.cantopen:
      return cannotOpen(path, error);
    case codes.ioerr:
      return new StoreUnavailable(
        `the store ${path} cannot be read or written: ${messageOf(error)}`,
        "check the disk and its free space, then try again",
        error,
      );
    case codes.corrupt:
    case codes.notadb:
      return damaged(path, messageOf(error), error);
    case null:
      break;
    default:
      return error;
  }
  const code = systemCode(error);
  if (code === null) return error;
  return code === "ENOSPC" ? noSpace(path, error) : cannotOpen(path, error);
}

/**
 * The same while the store is opened: a statement that SQLite refuses then speaks
 * of tables that are not what the version promises.
 */
export function explainOpening(error: unknown, path: string): unknown {
  return primaryCode(error) === codes.error
    ? damaged(path, `its tables are not those of its version: ${messageOf(error)}`, error)
    : explain(error, path);
}

/** Whether this user may not write what the store is made of; it may be there to be read all the same. */
export function isForbidden(error: unknown): boolean {
  if (!(error instanceof StoreUnavailable)) return false;
  const code = primaryCode(error.cause);
  if (code === codes.readonly || code === codes.perm || code === codes.cantopen) return true;
  return ["EACCES", "EPERM", "EROFS"].includes(systemCode(error.cause) ?? "");
}

export function damaged(path: string, what: string, cause?: unknown): StoreUnavailable {
  return new StoreUnavailable(
    `the store ${path} is damaged: ${what}`,
    `move it aside or put a backup in its place; nothing in it was changed`,
    cause,
  );
}

function noSpace(path: string, error: unknown): StoreUnavailable {
  const hint = "free some space and resume the run; what was recorded still stands";
  return new StoreUnavailable(`no space is left for the store ${path}`, hint, error);
}

const words: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOENT: "its folder cannot be made there",
  ENOTDIR: "part of the path is a file",
  EEXIST: "its folder is a file",
  EISDIR: "a folder is in its place",
};

function cannotOpen(path: string, error: unknown): StoreUnavailable {
  const code = systemCode(error);
  const why = code === null ? messageOf(error) : (words[code] ?? code);
  return new StoreUnavailable(
    `the store ${path} cannot be opened for writing: ${why}`,
    "make its folder writable for this user, or set TRAMMEL_HOME to one that is",
    error,
  );
}

function primaryCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error)) return null;
  return typeof error.errcode === "number" ? error.errcode & 0xff : null;
}

function systemCode(error: unknown): string | null {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}
