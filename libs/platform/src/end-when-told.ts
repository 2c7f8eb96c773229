/**
 * Has this process end with CODE on SIGTERM and SIGINT from its first moment on: as the first process of a container it gets
 * no signal that it does not listen for, and to load a service takes a second. For a program to call before it imports
 * anything else; a service that serves takes the signals over and drains first.
 */
export function endWhenTold(code: number): void {
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(code));
}
