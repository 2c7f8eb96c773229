import type { FineractAccount } from '../../../../config/index.js';
import type {
  Beneficiary,
  CustomerQuery,
  ExistingCustomer,
  IssuerApi,
  Registration,
} from '../../issuer-api.port.js';
import { type Client, type FineractClient, PAYOUT_COLUMNS, type StoredAccount } from './fineract-client.js';

/** Active, or in transfer between offices. A pending client is an applicant, as is our user. */
const CUSTOMER_STATUSES: readonly Client['status']['id'][] = [300, 303, 304];

const isSamePhone = (one: string, other: string): boolean => {
  const [first, second] = [one, other].map((phone) => phone.replaceAll(/\D/g, '').slice(-10));
  return first!.length === 10 && first === second;
};

/** Id of the row of an account. */
const referenceOf = ({ id, client_id: clientId }: Pick<StoredAccount, 'id' | 'client_id'>): string =>
  `${clientId}-${id}`;
const REFERENCE = /^(?<clientId>\d+)-(?<rowId>\d+)$/;

function registrationOf(stored: StoredAccount, receipt: string): Registration {
  if (stored.status === 'PENDING') return { state: 'accepted', receipt };
  if (stored.status === 'REJECTED') return { state: 'invalid-beneficiary' };
  // a withdrawn account was registered before
  return { state: 'registered', reference: referenceOf(stored) };
}

/** Adapter for Apache Fineract. Its idempotency keys are unreliable, so the adapter looks before it acts. */
export class FineractIssuer implements IssuerApi {
  readonly registersInBackground = true;

  constructor(
    private readonly fineract: FineractClient,
    private readonly account: Pick<FineractAccount, 'officeId' | 'reviewsAccounts'>,
  ) {}

  async findCustomer({ pan, dateOfBirth, phone }: CustomerQuery): Promise<ExistingCustomer | undefined> {
    for (const id of await this.fineract.searchClients(pan)) {
      const [client, documents] = await Promise.all([
        this.fineract.findClient(id),
        this.fineract.documentKeys(id),
      ]);
      // the search also finds parts of texts
      const hasPan = documents.some((key) => key.toUpperCase() === pan);
      if (!client || !hasPan || !CUSTOMER_STATUSES.includes(client.status.id)) continue;
      const isSamePerson = client.dateOfBirth === undefined || client.dateOfBirth === dateOfBirth;
      if (!isSamePerson) continue;
      const hasPhone = client.mobileNo !== undefined && isSamePhone(client.mobileNo, phone);
      // Fineract knows nothing of KYC
      return {
        customerId: `client-${id}`,
        isKycComplete: false,
        matchedOn: hasPhone ? ['PAN', 'PHONE'] : ['PAN'],
      };
    }
    return undefined;
  }

  async registerBeneficiary(beneficiary: Beneficiary, idempotencyKey: string): Promise<Registration> {
    const earlier = await this.fineract.findAccount(idempotencyKey);
    if (earlier) return registrationOf(earlier, idempotencyKey);
    const client_id = await this.clientIdOf(beneficiary);
    const status = this.account.reviewsAccounts ? 'PENDING' : 'ACTIVE';
    const id = await this.fineract.addAccount(client_id, {
      reference: idempotencyKey,
      holder_name: beneficiary.holderName,
      account_number: beneficiary.account,
      ifsc: beneficiary.ifsc,
      status,
    });
    // a parallel try has created it
    if (id === 'duplicate') return this.registrationOutcome(idempotencyKey);
    return registrationOf({ id, client_id, status }, idempotencyKey);
  }

  async registrationOutcome(receipt: string): Promise<Registration> {
    const stored = await this.fineract.findAccount(receipt);
    if (!stored) throw this.fineract.client.failed('refused', 'account not known');
    return registrationOf(stored, receipt);
  }

  /** Whether the data table has a row with this reference. @throws ProviderError also for a missing column */
  async hasAccount(reference: string): Promise<boolean> {
    return (await this.fineract.findAccount(reference, PAYOUT_COLUMNS)) !== undefined;
  }

  /** The row stays: a late repeat of its registration has to find it. */
  async withdrawBeneficiary(reference: string): Promise<void> {
    const { clientId, rowId } = REFERENCE.exec(reference)?.groups ?? {};
    // the receipt of another API that this issuer used before
    if (clientId === undefined || rowId === undefined) return;
    await this.fineract.setAccountStatus(clientId, rowId, 'WITHDRAWN');
  }

  /** The client of an existing customer, or a new one for the applicant. */
  private async clientIdOf({ customerId, customerReference, holderName }: Beneficiary): Promise<number> {
    const [, existing] = CUSTOMER_ID.exec(customerId ?? '') ?? [];
    if (existing !== undefined && (await this.fineract.findClient(Number(existing)))) return Number(existing);
    const known = await this.fineract.clientIdOf(customerReference);
    if (known !== undefined) return known;
    const id = await this.fineract.createClient({
      fullname: holderName.slice(0, MAX_NAME),
      externalId: customerReference,
      officeId: this.account.officeId,
    });
    if (id !== 'duplicate') return id;
    const other = await this.fineract.clientIdOf(customerReference);
    if (other === undefined) throw this.fineract.client.failed('refused', 'client not made');
    return other;
  }
}

const MAX_NAME = 160;

/** Tells a client from a customer of another API that the issuer used before, whose number may be that of another client. */
const CUSTOMER_ID = /^client-(\d{1,15})$/;
