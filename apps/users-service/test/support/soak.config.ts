/** Rows that the soak of partitions purges: fewer where there is little time, by FD_SOAK_ROWS. */
export const purgedRows = (): number => Number(process.env['FD_SOAK_ROWS'] ?? 50_000_000);
