/**
 * Path of a program that is not on the npm registry; it is installed where it can be.
 * @throws Error that says what to do where it cannot
 */
type ProgramFinder = (say?: (line: string) => void) => Promise<string>;

export const haproxyProgram: ProgramFinder;
export const pgbouncerProgram: ProgramFinder;
