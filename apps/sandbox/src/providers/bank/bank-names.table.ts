/** Names of banks by the first four letters of their IFSCs. */
const BANK_NAMES: Readonly<Record<string, string>> = {
  BARB: 'Bank of Baroda',
  CNRB: 'Canara Bank',
  FDRL: 'Federal Bank',
  HDFC: 'HDFC Bank',
  IBKL: 'IDBI Bank',
  ICIC: 'ICICI Bank',
  IDFB: 'IDFC First Bank',
  INDB: 'IndusInd Bank',
  KKBK: 'Kotak Mahindra Bank',
  PUNB: 'Punjab National Bank',
  SBIN: 'State Bank of India',
  UBIN: 'Union Bank of India',
  UTIB: 'Axis Bank',
  YESB: 'Yes Bank',
};

/** Returns the name of an IFSC's bank; an unknown bank is named by its letters. */
export function bankNameOf(ifsc: string): string {
  const code = ifsc.slice(0, 4);
  return BANK_NAMES[code] ?? `${code} Bank`;
}
