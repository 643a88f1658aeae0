import { describe } from "vitest";
import { conformance } from "./conformance/suite.ts";
import { driverIn, rootfs, works } from "./ground.ts";

describe.runIf(works("bubblewrap"))("bubblewrap", () => {
  conformance({ name: "over the host's programs", image: "host", driver: (folder) => driverIn("bubblewrap", folder) });
  conformance({ name: "over a root file system", image: rootfs, driver: (folder) => driverIn("bubblewrap", folder) });
});
