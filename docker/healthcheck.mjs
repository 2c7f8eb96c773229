// Checks whether the service in this container runs: exit code 0 or 1. For Docker; Kubernetes calls the service itself.
const url = `http://127.0.0.1:${process.env.PORT}/health/live`;
const isLive = await fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
  ({ ok }) => ok,
  () => false,
);
process.exit(isLive ? 0 : 1);
