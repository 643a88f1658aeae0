// Preloaded into the command line: nothing of Trammel knows of it. DIE_AT=N kills this process at its N-th step that changes something
// outside of it, before that is done: a file that is renamed or removed, a git command, a commit of SQLite. DIE_COUNT=FILE leaves how many
// there were.
"use strict";
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const processes = require("node:child_process");
const { DatabaseSync } = require("node:sqlite");

const at = Number(process.env.DIE_AT ?? 0);
let steps = 0;

function before(owner, name, counts = () => true) {
  const own = owner[name];
  owner[name] = function (...given) {
    if (counts(...given)) {
      steps += 1;
      if (steps === at) {
        process.kill(process.pid, "SIGKILL");
        for (;;); // the signal is on its way: nothing more may happen
      }
    }
    return own.apply(this, given);
  };
}

for (const name of ["rm", "rename", "unlink", "rmdir"]) before(fs.promises, name);
for (const name of ["rmSync", "renameSync", "unlinkSync"]) before(fs, name);
before(processes, "spawn", (file) => file === "git");
before(DatabaseSync.prototype, "exec", (sql) => sql === "COMMIT");
const { prepare } = DatabaseSync.prototype;
DatabaseSync.prototype.prepare = function (sql, ...rest) {
  const statement = prepare.call(this, sql, ...rest);
  if (sql === "COMMIT") for (const way of ["run", "get", "all"]) before(statement, way);
  return statement;
};
syncBuiltinESMExports();

const file = process.env.DIE_COUNT;
if (file !== undefined) process.on("exit", () => fs.writeFileSync(file, String(steps)));
