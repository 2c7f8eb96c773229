import { matchWeakest, type NameMatch } from '../../kyc/index.js';

/** What is known of the name of an account's holder. */
interface HolderNames {
  /** As the user gave it. */
  readonly claimed: string;
  readonly panName: string | undefined;
  readonly nameAtBank: string | null;
}

/** Compares the names of a holder with each other; undefined if only one is known. */
export const compareHolder = ({ claimed, panName, nameAtBank }: HolderNames): NameMatch | undefined =>
  matchWeakest([claimed, panName, nameAtBank]);
