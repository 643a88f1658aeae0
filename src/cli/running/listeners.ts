import type { World } from "../world.ts";
import { type Notices, noticesOf, observeAll } from "./notices.ts";
import type { Prepared } from "./prepare.ts";

/**
 * Whoever is told of what a run does, beside its screen: people, and a
 * collector of traces where the environment names one.
 */
export async function listenersOf(
  world: World,
  { config, blueprint, callees }: Prepared,
  cwd: string,
): Promise<Notices> {
  const notices = noticesOf(world, config.notify, blueprint.name, cwd);
  const collector = collectorIn(world.env);
  if (collector === null) return notices;
  if (!isAddress(world.env[collector] ?? "")) {
    world.err.write(
      `${collector} is no http address, so no traces are sent; write one, such as http://localhost:4318\n`,
    );
    return notices;
  }
  const { openTraces } = await import("../tracing/traces.ts");
  const traces = openTraces(blueprint, callees);
  return {
    ...observeAll(notices, { ...traces, progress: () => undefined }),
    async sent() {
      await Promise.all([notices.sent(), traces.close()]);
    },
  };
}

/**
 * The variable of those that OpenTelemetry defines which says where traces go; null where nothing is sent, as none of
 * them asks for it. The one for traces alone comes first.
 */
function collectorIn(env: World["env"]): string | null {
  if (env["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true" || env["OTEL_TRACES_EXPORTER"] === "none") return null;
  const names = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];
  return names.find((name) => (env[name] ?? "").trim() !== "") ?? null;
}

function isAddress(text: string): boolean {
  return /^https?:$/.test(URL.parse(text.trim())?.protocol ?? "");
}
