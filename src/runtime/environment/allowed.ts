/**
 * What an agent and the commands it runs see of the user's environment: who,
 * where, how to reach the network, where tools live.
 */
const allowed: ReadonlySet<string> = new Set([
  "ANDROID_HOME",
  "CARGO_HOME",
  "CI",
  "COLORTERM",
  "DOTNET_ROOT",
  "EDITOR",
  "GOPATH",
  "GOROOT",
  "HOME",
  "HTTPS_PROXY",
  "HTTP_PROXY",
  "JAVA_HOME",
  "LANG",
  "LANGUAGE",
  "LOGNAME",
  "NODE_EXTRA_CA_CERTS",
  "NO_COLOR",
  "NO_PROXY",
  "NVM_DIR",
  "PATH",
  "PNPM_HOME",
  "PYENV_ROOT",
  "REQUESTS_CA_BUNDLE",
  "RUSTUP_HOME",
  "SHELL",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
  "TEMP",
  "TERM",
  "TMP",
  "TMPDIR",
  "TZ",
  "USER",
  "VIRTUAL_ENV",
  "VOLTA_HOME",
  "all_proxy",
  "http_proxy",
  "https_proxy",
  "no_proxy",
]);

export function isForAgents(name: string): boolean {
  return allowed.has(name) || name.startsWith("LC_") || name.startsWith("XDG_");
}
