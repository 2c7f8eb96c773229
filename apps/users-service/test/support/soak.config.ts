/** Rows for the soak test of partitions; FD_SOAK_ROWS sets fewer for short runs. */
export const purgedRows = (): number => Number(process.env['FD_SOAK_ROWS'] ?? 50_000_000);
