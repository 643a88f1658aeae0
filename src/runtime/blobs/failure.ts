import { messageOf, systemCode } from "../../model/thrown.ts";

/**
 * The store could not keep or read bytes: full disk, no permission, a path that is
 * gone. The only error the blob store rejects with.
 */
export class BlobFailure extends Error {
  override readonly name = "BlobFailure";
  /** Code of the system call, e.g. ENOSPC. */
  readonly code: string;

  constructor(folder: string, cause: unknown) {
    const code = systemCode(cause) ?? "unknown";
    super(sentence(folder, code, cause), { cause });
    this.code = code;
  }
}

function sentence(folder: string, code: string, cause: unknown): string {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return `no space left in ${folder}; free some, or move TRAMMEL_HOME`;
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return `${folder} cannot be used (${code}); allow it, or move TRAMMEL_HOME`;
    default:
      return `cannot use ${folder}: ${messageOf(cause)}`;
  }
}
