/** Who the eKYC must be of: the holder of the verified PAN. The provider compares, so that we need not see more. */
export interface ExpectedPerson {
  readonly name: string;
  /** YYYY-MM-DD */
  readonly dateOfBirth: string;
}
