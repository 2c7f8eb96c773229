/** Path of the browser, which is installed where it can be. */
export function browserProgram(say?: (line: string) => void): Promise<string>;
