/**
 * Path of HAProxy, which is installed where it can be.
 * @throws Error that says what to do where it cannot
 */
export function haproxyProgram(say?: (line: string) => void): Promise<string>;
