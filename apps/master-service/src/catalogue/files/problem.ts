/** Something in a catalogue file that its author should look at. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  /** File name without its folder. */
  readonly file: string;
  /** Line in the file, from 1. */
  readonly line: number;
  readonly message: string;
}

/** `file:line: message`, as editors and terminals recognise it. */
export function formatProblem({ severity, file, line, message }: Problem): string {
  return `${file}:${line}: ${severity === 'warning' ? 'warning: ' : ''}${message}`;
}

/** Problems in the order in which a reader goes through the files. */
export function inReadingOrder(problems: readonly Problem[]): Problem[] {
  return [...problems].sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
}
