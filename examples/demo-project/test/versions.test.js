import assert from "node:assert/strict";
import { test } from "node:test";
import { compare, newest } from "../versions.js";

test("orders by major, minor and patch", () => {
  assert.equal(compare("1.2.3", "2.0.0"), -1, "1.2.3 is older than 2.0.0");
  assert.equal(compare("1.2.3", "1.2.3"), 0, "a release is as old as itself");
});

test("orders by number, not by letter", () => {
  assert.equal(compare("1.9.3", "1.10.0"), -1, "1.9.3 is older than 1.10.0");
});

test("finds the newest release", () => {
  assert.equal(newest(["1.9.3", "1.10.0", "1.2.11"]), "1.10.0", "1.10.0 is the newest");
});
