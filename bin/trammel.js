#!/usr/bin/env node
// Plain JavaScript that every Node since 12 can parse: it finds a Node that can run Trammel and gets out of the way.
"use strict";

const path = require("path");

const minimum = [22, 18];
const program = path.join(__dirname, "..", "dist", "cli", "main.cjs");

function fail(message) {
  process.stderr.write("trammel: " + message + "\n");
  process.exit(2);
}

function isNewEnough(version) {
  const parts = version.split(".").map(Number);
  return parts[0] > minimum[0] || (parts[0] === minimum[0] && parts[1] >= minimum[1]);
}

/** The binary of the npm package `node`, where it is installed beside Trammel; undefined otherwise. */
function bundledNode() {
  try {
    const manifest = require.resolve("node/package.json");
    const binary = path.join(path.dirname(manifest), "bin", process.platform === "win32" ? "node.exe" : "node");
    require("fs").accessSync(binary, require("fs").constants.X_OK);
    return binary;
  } catch {
    return undefined;
  }
}

/**
 * Runs the program under another Node. Descriptor 3 is a channel to it: its end tells the engine that this launcher is gone,
 * and a byte on it is a signal. SIGINT travels there and not by kill, because a terminal sends it to both processes already.
 */
function relaunch(binary) {
  const environment = Object.assign({}, process.env, { TRAMMEL_LAUNCHER_FD: "3" });
  function notStarted(error) {
    fail("could not start " + binary + ": " + error.message);
  }
  let child;
  try {
    child = require("child_process").spawn(binary, [program].concat(process.argv.slice(2)), {
      stdio: ["inherit", "inherit", "inherit", "pipe"],
      env: environment,
    });
  } catch (error) {
    return notStarted(error);
  }
  child.on("error", notStarted);
  // Where no more files can be opened there is an error to come, and nothing else.
  if (!child.stdio) return;
  const channel = child.stdio[3];
  let attached = false;
  channel.on("error", function () {});
  channel.on("data", function () {
    attached = true;
  });
  channel.unref();
  process.on("SIGINT", function () {
    if (attached) channel.write("I");
    else child.kill("SIGINT");
  });
  // Node would open its debugger for it.
  process.on("SIGUSR1", function () {});
  ["SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2", "SIGCONT"].forEach(function (signal) {
    process.on(signal, function () {
      child.kill(signal);
    });
  });
  child.on("exit", function (code, signal) {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Where no folder can be made, as in /proc, Node tries for good to make the one of its cache. */
function hasPlace(folder) {
  const fs = require("fs");
  try {
    fs.mkdirSync(folder);
  } catch (error) {
    return error.code === "EEXIST";
  }
  return true;
}

function start() {
  const loader = require("module");
  const cache = path.join(require("os").tmpdir(), "node-compile-cache");
  if (loader.enableCompileCache && (process.env.NODE_COMPILE_CACHE || hasPlace(cache))) loader.enableCompileCache();
  try {
    require(program);
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND" || !String(error.message).includes(program)) throw error;
    fail("this copy is not built yet; run `npm ci` in " + path.dirname(__dirname));
  }
}

if (isNewEnough(process.versions.node)) {
  start();
} else {
  const binary = bundledNode();
  if (binary) relaunch(binary);
  else {
    fail(
      "needs Node " +
        minimum.join(".") +
        " or newer, this is " +
        process.versions.node +
        " (" +
        process.execPath +
        "); " +
        "install it from https://nodejs.org, or run `npm install node` beside Trammel",
    );
  }
}
