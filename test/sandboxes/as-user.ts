import { driverIn, rootfs, sh, specOf } from "./ground.ts";

/** What a user without privileges gets from bubblewrap, as one line of JSON; started by unprivileged.test.ts. */
const [folder = ""] = process.argv.slice(2);
const driver = driverIn("bubblewrap", folder);
const never = new AbortController().signal;
const said: Record<string, unknown> = { uid: process.getuid?.(), check: await driver.check() };

for (const [name, image] of [
  ["host", "host"],
  ["rootfs", rootfs],
] as const) {
  const made = await driver.create(specOf(image), never);
  if ("fault" in made) {
    said[name] = made;
    continue;
  }
  const { sandbox, notes } = made;
  const { out, err, end } = await sh(sandbox, "echo x >/workspace/w && echo y >/tmp/t && echo z >~/h && cat w; id -u");
  said[name] = { out, err, end, notes };
  await sh(sandbox, "mkdir -p /workspace/locked/in && chmod 500 /workspace/locked");
  said[`${name} removed`] = await sandbox.destroy("remove");
}
said["limit"] = await driver.create(specOf("host", { memoryBytes: 64 * 1024 * 1024 }), never);
console.log(JSON.stringify(said));
