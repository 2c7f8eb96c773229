/**
 * Exits this process with CODE on SIGTERM and SIGINT. Call it before all other imports: process 1 of a container ignores
 * signals without a handler, and loading a service takes a second. A serving service replaces these handlers and shuts
 * down gracefully.
 */
export function exitOnSignal(code: number): void {
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(code));
}
