/** The shipped issuers. */
const id = (last: number): string => `6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e${last}`;

export const ISSUERS = {
  aravalli: { id: id(1001), code: 'ARAVFIN' },
  kaveri: { id: id(1002), code: 'KAVSFB' },
  nilgiri: { id: id(1003), code: 'NILHFC' },
  sahyadri: { id: id(1004), code: 'SAHCAP' },
  vindhya: { id: id(1005), code: 'VINBANK' },
} as const;
