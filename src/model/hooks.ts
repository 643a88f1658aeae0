/** Folders of a tree in which repositories keep hooks that Git runs; what tools write there is often ignored by Git. */
export const hookFolders = [".husky", ".githooks", ".hooks", ".lefthook"] as const;

/** Globs of files that tell the usual tools what to do in hooks. */
export const hookFiles = [
  ...["lefthook", ".lefthook"].flatMap((name) => ["yml", "yaml", "toml", "json"].map((end) => `${name}*.${end}`)),
  ".pre-commit-config.y*ml",
  ".overcommit.yml",
];
