import { z } from 'zod';
import type { ProviderClient } from '../../../providers/provider-client.js';
import { providerText } from '../../../providers/provider-text.js';

const id = z.int().positive();

/** `[1990, 4, 21]`, or a text, depending on Fineract's configuration. */
const localDate = z.union([
  z.iso.date(),
  z
    .tuple([z.int(), z.int(), z.int()])
    .transform(([year, month, day]) => [String(year), pad(month), pad(day)].join('-'))
    .pipe(z.iso.date()),
]);

const pad = (part: number): string => String(part).padStart(2, '0');

const foundClients = z.object({ content: z.array(z.object({ id })) });

/** Statuses of a client: invalid, pending, active, in transfer (2), closed, rejected, withdrawn. */
const clientStatus = z.object({ id: z.literal([0, 100, 300, 303, 304, 600, 700, 800]) });

const client = z.object({
  id,
  status: clientStatus,
  mobileNo: providerText(50).optional(),
  dateOfBirth: localDate.optional(),
});
export type Client = z.output<typeof client>;

const identifiers = z.array(
  z.object({ documentKey: providerText(1_000), status: providerText(100).optional() }),
);

const clientPage = z.object({ pageItems: z.array(z.object({ id })) });

const created = z.object({ resourceId: id });

const gone = z.object({ userMessageGlobalisationCode: z.literal('error.msg.resource.not.found') });

/** Errors for a duplicate of a unique value; on PostgreSQL, Fineract does not recognise every such database error. */
const duplicate = z.object({
  userMessageGlobalisationCode: z.string().regex(/\.duplicate(?:\.|$)|\.unknown\.data\.integrity\.issue$/),
});

const PAYOUT_STATUSES = ['PENDING', 'ACTIVE', 'REJECTED', 'WITHDRAWN'] as const;
type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** The data table of clients with their accounts; the README shows how to create it. */
const PAYOUT_ACCOUNTS = 'fd_payout_accounts';

const payoutAccount = z.object({ id, client_id: id, status: z.enum(PAYOUT_STATUSES) });
export type StoredAccount = z.output<typeof payoutAccount>;

/** Every column that a registration reads or writes. */
export const PAYOUT_COLUMNS = [
  ...Object.keys(payoutAccount.shape),
  ...(['reference', 'holder_name', 'account_number', 'ifsc'] satisfies (keyof PayoutAccount)[]),
];

/** A row of the data table, without Fineract's own columns. */
interface PayoutAccount {
  /** Unique: the data table refuses a second row with it. */
  readonly reference: string;
  readonly holder_name: string;
  readonly account_number: string;
  readonly ifsc: string;
  readonly status: PayoutStatus;
}

interface NewClient {
  readonly fullname: string;
  readonly externalId: string;
  readonly officeId: number;
}

/** Fineract requires the formats of numbers and dates in every body, even if it contains none. */
const FORMATS = { locale: 'en', dateFormat: 'yyyy-MM-dd' };

const PERSON = 1;

/** Limit of results, above the number of clients that can share a PAN. */
const CANDIDATES = 5;

export class FineractClient {
  readonly client;

  constructor(client: ProviderClient) {
    this.client = client.forOperations(
      'find-customer',
      'read-customer',
      'read-customer-documents',
      'find-applicant',
      'create-applicant',
      'find-beneficiary',
      'register-beneficiary',
      'withdraw-beneficiary',
    );
  }

  /** Searches clients by names, ids and documents. A POST, so that access logs do not contain the text. */
  async searchClients(text: string): Promise<readonly number[]> {
    const { body } = await this.client.call({
      operation: 'find-customer',
      path: '/v2/clients/search',
      body: { request: { text }, page: 0, size: CANDIDATES },
      isRepeatable: true,
      answers: { 200: foundClients },
    });
    return body.content.map((found) => found.id);
  }

  async findClient(clientId: number): Promise<Client | undefined> {
    const answer = await this.client.call({
      operation: 'read-customer',
      path: `/v1/clients/${clientId}`,
      answers: { 200: client, 404: gone },
    });
    return answer.status === 200 ? answer.body : undefined;
  }

  /** Keys of a client's active documents. */
  async documentKeys(clientId: number): Promise<readonly string[]> {
    const { body } = await this.client.call({
      operation: 'read-customer-documents',
      path: `/v1/clients/${clientId}/identifiers`,
      answers: { 200: identifiers },
    });
    return body
      .filter(({ status }) => status !== 'clientIdentifierStatusType.inactive')
      .map(({ documentKey }) => documentKey);
  }

  async clientIdOf(externalId: string): Promise<number | undefined> {
    const { body } = await this.client.call({
      operation: 'find-applicant',
      path: `/v1/clients?externalId=${encodeURIComponent(externalId)}`,
      answers: { 200: clientPage },
    });
    return body.pageItems[0]?.id;
  }

  /** A pending client, which the bank's staff complete and activate. */
  async createClient(newClient: NewClient): Promise<number | 'duplicate'> {
    const body = { ...newClient, ...FORMATS, legalFormId: PERSON, active: false };
    return this.create('create-applicant', '/v1/clients', body);
  }

  async findAccount(
    reference: string,
    columns: readonly string[] = Object.keys(payoutAccount.shape),
  ): Promise<StoredAccount | undefined> {
    const query = new URLSearchParams({
      columnFilter: 'reference',
      valueFilter: reference,
      resultColumns: columns.join(','),
    });
    const { body } = await this.client.call({
      operation: 'find-beneficiary',
      path: `/v1/datatables/${PAYOUT_ACCOUNTS}/query?${query.toString()}`,
      answers: { 200: z.array(payoutAccount) },
    });
    return body[0];
  }

  async addAccount(clientId: number, account: PayoutAccount): Promise<number | 'duplicate'> {
    const path = `/v1/datatables/${PAYOUT_ACCOUNTS}/${clientId}`;
    return this.create('register-beneficiary', path, { ...account, ...FORMATS });
  }

  /** Ignores a missing row. */
  async setAccountStatus(clientId: string, rowId: string, status: PayoutStatus): Promise<void> {
    await this.client.call({
      operation: 'withdraw-beneficiary',
      method: 'PUT',
      path: `/v1/datatables/${PAYOUT_ACCOUNTS}/${clientId}/${rowId}`,
      body: { status, ...FORMATS },
      isRepeatable: true,
      answers: { 200: created, 404: gone },
    });
  }

  /** Sent once: a repeat must first look up whether it took effect. */
  private async create(
    operation: 'create-applicant' | 'register-beneficiary',
    path: string,
    body: object,
  ): Promise<number | 'duplicate'> {
    const answer = await this.client.call({
      operation,
      path,
      body,
      answers: { 200: created, 403: duplicate },
    });
    return answer.status === 200 ? answer.body.resourceId : 'duplicate';
  }
}
