/**
 * Path of PgBouncer, which is installed where it can be.
 * @throws Error that says what to do where it cannot
 */
export function pgbouncerProgram(say?: (line: string) => void): Promise<string>;
