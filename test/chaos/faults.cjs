// Preloaded into the command line by the fault tests (`node --require faults.cjs bin/trammel.js …`): nothing of Trammel knows of it.
// CHAOS_AT=kind:n[:argument] does something at the n-th COMMIT that this process gives to SQLite:
//   before:n     SIGKILL when it is due          after:n        SIGKILL when it is on the disk and before anything follows from it
//   fill:n:DIR   fills the disk under DIR first  copy:n:DIR     copies the data folder to DIR afterwards
//   jump:n:MS    sets the system clock by so much afterwards
// CHAOS_WALL=MS starts with a system clock that is off by so much. CHAOS_COUNT=FILE leaves the number of commits at the end.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { DatabaseSync } = require("node:sqlite");

const [kind = "", at = "", argument = ""] = (process.env.CHAOS_AT ?? "").split(":");
let commits = 0;

function die() {
  process.kill(process.pid, "SIGKILL");
  for (;;); // the signal is on its way: nothing more may happen
}

function fill(folder) {
  for (let size = 1 << 16, n = 0; size >= 1; n += 1) {
    try {
      fs.writeFileSync(path.join(folder, `filler-${n}`), Buffer.alloc(size));
    } catch {
      size >>= 1;
    }
  }
}

function copy(folder) {
  fs.cpSync(process.env.TRAMMEL_HOME, folder, { recursive: true });
}

function commit(write) {
  commits += 1;
  const mine = String(commits) === at;
  if (mine && kind === "before") die();
  if (mine && kind === "fill") fill(argument);
  const answer = write();
  if (mine && kind === "after") die();
  if (mine && kind === "copy") copy(argument);
  if (mine && kind === "jump") jump(Number(argument));
  return answer;
}

const { prepare, exec } = DatabaseSync.prototype;
DatabaseSync.prototype.prepare = function (sql, ...rest) {
  const statement = prepare.call(this, sql, ...rest);
  if (sql === "COMMIT") {
    for (const way of ["run", "get", "all"]) {
      const step = statement[way].bind(statement);
      statement[way] = () => commit(step);
    }
  }
  return statement;
};
DatabaseSync.prototype.exec = function (sql) {
  return sql === "COMMIT" ? commit(() => exec.call(this, sql)) : exec.call(this, sql);
};

// The system clock. What counts from the start of the process (performance.now) goes on as it did, as on a machine whose clock is set.
const System = Date;
let shift = 0;
function jump(ms) {
  shift += ms;
  globalThis.Date = class extends System {
    constructor(...given) {
      super(...(given.length === 0 ? [System.now() + shift] : given));
    }
    static now() {
      return System.now() + shift;
    }
  };
}
const off = Number(process.env.CHAOS_WALL ?? 0);
if (off !== 0) {
  jump(off);
  Object.defineProperty(performance, "timeOrigin", { value: performance.timeOrigin + off });
}

if (process.env.CHAOS_COUNT) process.on("exit", () => fs.writeFileSync(process.env.CHAOS_COUNT, String(commits)));
