/**
 * The commit whose answers are to be recorded, from the command line: see docs/CONTRIBUTING.md. Undefined in a run that compares.
 */
export const COMMIT_TO_RECORD = process.env['FD_RECORD_ANSWERS'];
