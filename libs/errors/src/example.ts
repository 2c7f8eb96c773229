/** One call of an example. In path and body, `{name}` stands for something: see PLACEHOLDERS. */
export interface ExampleCall {
  readonly call: `${'GET' | 'POST' | 'DELETE'} /${string}`;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** How often it is made; once, if left out. */
  readonly times?: number;
}

/** Calls that provoke a code against the sandbox: the last one is answered with it. */
export interface Example extends ExampleCall {
  /**
   * Who calls: nobody; a user who has just logged in; one whose PAN is verified besides; a client of the catalogue with
   * its apikey.
   */
  readonly as: 'nobody' | 'user' | 'verified user' | 'catalogue client';
  /** Calls that go before. */
  readonly after?: readonly ExampleCall[];
}

/** How to provoke a code, or why no calls alone can. */
export type Provocation = Example | { readonly none: string };

/** What stands for something in an example; any other name is a field of the payload of the call before. */
export const PLACEHOLDERS = {
  phone: 'any phone from 919999900000 to 919999900099: its code is 123456',
  pan: 'a PAN that nobody has verified, such as ABCPR1234K, with none of the digits that are special to the sandbox',
  'pan 0603': 'such a PAN with the digits 0603',
  aadhaar: 'an Aadhaar number with a right check digit, such as 234567891238',
  email: 'an email address that nobody has verified',
  code: 'the code that reached the phone, address or Aadhaar of the call before: see the inbox of the sandbox',
  uuid: 'a new UUID',
  now: 'the time in ISO 8601',
} as const;
