import { Body, Delete, Get, Headers, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { Clock } from '@fd/platform';
import type { z } from 'zod';
import { Effects } from '../../effects/effects.service.js';
import { BoundedMap } from '../../http/bounded-map.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';
import { readBody } from '../../http/request.js';
import { throwIfFault } from '../../http/faults.js';
import { customerAt } from '../../issuers/customer.js';
import { ISSUER_SLUGS } from '../../issuers/issuer-slugs.js';
import { behaviourOf } from '../../magic/magic-values.table.js';
import { maturityAmount, maturityDate } from './fineract-deposits.js';
import { FINERACT, notFound } from './fineract-dialect.js';
import { changedAccount, clientSearch, newAccount, newClient, newDeposit } from './fineract-messages.js';
import { chartsOf, growthOf, productOf, productsOf } from './fineract-products.js';

/** The time until the issuer's staff decide on a pending account. */
const REVIEW_MS = 300;

/** Each issuer is a tenant. */
const TENANTS: readonly string[] = ISSUER_SLUGS;
const TENANT = 'fineract-platform-tenantid';

const DATA_TABLE = 'fd_payout_accounts';

const PENDING = { id: 100, code: 'clientStatusType.pending', value: 'Pending' };
const ACTIVE = { id: 300, code: 'clientStatusType.active', value: 'Active' };

const SUBMITTED = {
  id: 100,
  code: 'savingsAccountStatusType.submitted.and.pending.approval',
  value: 'Submitted and pending approval',
  submittedAndPendingApproval: true,
};

interface Client {
  readonly id: number;
  readonly name: string;
  readonly externalId?: string;
  readonly pan?: string;
  readonly status: typeof PENDING;
}

interface Account extends z.output<typeof newAccount> {
  readonly id: number;
  readonly client_id: number;
  readonly isValid: boolean;
  readonly decidedAt: number;
}

/** An application for a fixed deposit, which is never approved here. */
interface Deposit {
  readonly id: number;
  readonly clientId: number;
  readonly depositAmount: number;
  readonly depositPeriod: number;
  readonly maturityAmount: number;
  readonly maturityDate: readonly number[];
}

/**
 * Apache Fineract: clients, their documents, the data table for accounts outside of the bank, fixed deposit products and
 * applications.
 */
@OutsideApi('vendors/fineract/fineract-provider/api', FINERACT)
export class FineractController {
  /** By tenant and id, and by tenant and external id. */
  private readonly clients = new BoundedMap<string, Client>();
  /** By tenant and reference, which is unique, and by tenant and id. */
  private readonly accounts = new BoundedMap<string, Account>();
  /** By tenant and id. */
  private readonly deposits = new BoundedMap<string, Deposit>();
  /** Starts above the ids of existing customers, which have 32 bits. */
  private lastId = 2 ** 32;

  constructor(
    private readonly effects: Effects,
    private readonly clock: Clock,
  ) {}

  /** Finds a text in names and documents. */
  @Post('v2/clients/search')
  @HttpCode(200)
  search(@Headers(TENANT) header: string | undefined, @Body() body: unknown): object {
    const tenant = tenantIn(header);
    const { text: pan } = readBody(clientSearch, body).request;
    throwIfFault(behaviourOf('issuer', 'pan', pan));
    const customer = customerAt(tenant, pan);
    if (!customer) return { content: [], totalElements: 0 };
    const client = { id: Number(customer.number), name: 'Existing Customer', pan, status: ACTIVE };
    this.clients.set(`${tenant} ${client.id}`, client);
    const { id, name: displayName, status } = client;
    const office = { officeId: 1, officeName: 'Head Office' };
    return { content: [{ id, displayName, ...office, status }], totalElements: 1 };
  }

  @Get('v1/clients')
  list(@Headers(TENANT) header: string | undefined, @Query('externalId') externalId = ''): object {
    const client = this.clients.get(`${tenantIn(header)} external ${externalId}`);
    const pageItems = client ? [present(client)] : [];
    return { totalFilteredRecords: pageItems.length, pageItems };
  }

  @Post('v1/clients')
  @HttpCode(200)
  createClient(@Headers(TENANT) header: string | undefined, @Body() body: unknown): object {
    const tenant = tenantIn(header);
    const { externalId, fullname: name, officeId } = readBody(newClient, body);
    const byExternalId = `${tenant} external ${externalId}`;
    if (this.clients.has(byExternalId)) {
      throw new Refusal(
        403,
        'error.msg.client.duplicate.externalId',
        'Client with externalId already exists',
      );
    }
    const client = { id: ++this.lastId, name, externalId, status: PENDING };
    this.clients.set(byExternalId, client).set(`${tenant} ${client.id}`, client);
    this.effects.record({ provider: `issuer:${tenant}`, kind: 'customer', subject: externalId });
    return { officeId, clientId: client.id, resourceId: client.id, resourceExternalId: externalId };
  }

  @Get('v1/clients/:id')
  client(@Headers(TENANT) header: string | undefined, @Param('id') id: string): object {
    return present(this.knownClient(tenantIn(header), id));
  }

  @Get('v1/clients/:id/identifiers')
  identifiers(@Headers(TENANT) header: string | undefined, @Param('id') id: string): object[] {
    const { pan: documentKey, id: clientId } = this.knownClient(tenantIn(header), id);
    const documentType = { id: 4, name: 'PAN', active: true, mandatory: false };
    const status = 'clientIdentifierStatusType.active';
    return documentKey === undefined ? [] : [{ id: 1, clientId, documentType, documentKey, status }];
  }

  @Get('v1/fixeddepositproducts')
  products(@Headers(TENANT) header: string | undefined): object[] {
    return productsOf(tenantIn(header));
  }

  @Get('v1/fixeddepositproducts/:id')
  product(@Headers(TENANT) header: string | undefined, @Param('id') id: string): object {
    return productOf(tenantIn(header), id);
  }

  @Get('v1/interestratecharts')
  charts(@Headers(TENANT) header: string | undefined, @Query('productId') productId = ''): object[] {
    return chartsOf(tenantIn(header), productId);
  }

  /** The amount at maturity is computed when an application is submitted. */
  @Post('v1/fixeddepositaccounts')
  @HttpCode(200)
  apply(@Headers(TENANT) header: string | undefined, @Body() body: unknown): object {
    const tenant = tenantIn(header);
    const {
      clientId,
      productId,
      submittedOnDate: from,
      depositAmount,
      depositPeriod,
    } = readBody(newDeposit, body);
    if (this.knownClient(tenant, String(clientId)).status !== ACTIVE)
      throw new Refusal(403, 'error.msg.client.not.active.exception', 'Client is not active');
    const asked = { amount: depositAmount, days: depositPeriod };
    const deposit = { ...asked, from, ...growthOf(tenant, productId, asked) };
    const id = ++this.lastId;
    this.deposits.set(`${tenant} ${id}`, {
      id,
      clientId,
      depositAmount,
      depositPeriod,
      maturityAmount: maturityAmount(deposit),
      maturityDate: maturityDate(deposit),
    });
    return { officeId: 1, clientId, savingsId: id, resourceId: id };
  }

  @Get('v1/fixeddepositaccounts/:id')
  deposit(@Headers(TENANT) header: string | undefined, @Param('id') id: string): object {
    return { ...this.knownDeposit(tenantIn(header), id), status: SUBMITTED };
  }

  @Delete('v1/fixeddepositaccounts/:id')
  deleteDeposit(@Headers(TENANT) header: string | undefined, @Param('id') id: string): object {
    const tenant = tenantIn(header);
    const { id: resourceId, clientId } = this.knownDeposit(tenant, id);
    this.deposits.delete(`${tenant} ${id}`);
    return { officeId: 1, clientId, savingsId: resourceId, resourceId };
  }

  @Get(`v1/datatables/${DATA_TABLE}/query`)
  query(
    @Headers(TENANT) header: string | undefined,
    @Query('columnFilter') column = '',
    @Query('valueFilter') value = '',
    @Query('resultColumns') columns = '',
  ): object[] {
    const account = this.accounts.get(`${tenantIn(header)} ${column} ${value}`);
    if (!account) return [];
    const row: Record<string, unknown> = { ...account, status: this.statusOf(account) };
    return [Object.fromEntries(columns.split(',').map((name) => [name, row[name]]))];
  }

  @Post(`v1/datatables/${DATA_TABLE}/:clientId`)
  @HttpCode(200)
  addAccount(
    @Headers(TENANT) header: string | undefined,
    @Param('clientId') clientId: string,
    @Body() body: unknown,
  ): object {
    const tenant = tenantIn(header);
    const { id: client_id } = this.knownClient(tenant, clientId);
    const row = readBody(newAccount, body);
    const { reference: idempotencyKey, account_number: subject } = row;
    const isValid = throwIfFault(behaviourOf('issuer', 'account', subject)) !== 'invalid_beneficiary';
    if (this.accounts.has(`${tenant} reference ${idempotencyKey}`)) {
      throw new Refusal(403, 'error.msg.datatable.entry.duplicate', 'An entry already exists for datatable');
    }
    const decidedAt = this.clock.now().getTime() + REVIEW_MS;
    this.keep(tenant, { ...row, id: ++this.lastId, client_id, isValid, decidedAt });
    this.effects.record({
      provider: `issuer:${tenant}`,
      kind: 'account_registration',
      subject,
      idempotencyKey,
    });
    return { officeId: 1, clientId: client_id, resourceId: this.lastId };
  }

  @Put(`v1/datatables/${DATA_TABLE}/:clientId/:id`)
  changeAccount(
    @Headers(TENANT) header: string | undefined,
    @Param('clientId') clientId: string,
    @Param('id') id: string,
    @Body() body: unknown,
  ): object {
    const tenant = tenantIn(header);
    const account = this.accounts.get(`${tenant} id ${id}`);
    if (account?.client_id !== Number(clientId)) throw notFound();
    const { status } = readBody(changedAccount, body);
    const isChanged = status !== this.statusOf(account);
    if (isChanged) this.keep(tenant, { ...account, status });
    if (isChanged && status === 'WITHDRAWN') {
      const subject = account.account_number;
      this.effects.record({ provider: `issuer:${tenant}`, kind: 'account_withdrawal', subject });
    }
    return { clientId: account.client_id, resourceId: account.id, changes: isChanged ? { status } : {} };
  }

  private keep(tenant: string, account: Account): void {
    this.accounts.set(`${tenant} reference ${account.reference}`, account);
    this.accounts.set(`${tenant} id ${account.id}`, account);
  }

  private statusOf({ status, isValid, decidedAt }: Account): Account['status'] {
    if (status !== 'PENDING' || this.clock.now().getTime() < decidedAt) return status;
    return isValid ? 'ACTIVE' : 'REJECTED';
  }

  private knownDeposit(tenant: string, id: string): Deposit {
    const deposit = this.deposits.get(`${tenant} ${id}`);
    if (!deposit) throw notFound();
    return deposit;
  }

  private knownClient(tenant: string, id: string): Client {
    const client = this.clients.get(`${tenant} ${id}`);
    if (!client) throw notFound();
    return client;
  }
}

function tenantIn(header: string | undefined): string {
  if (header !== undefined && TENANTS.includes(header)) return header;
  throw new Refusal(
    401,
    'error.msg.invalid.tenant.identifier',
    'Invalid tenant identifier provided with request.',
  );
}

/** Fineract omits unknown values: here the phone and the date of birth. */
function present({ id, name, externalId, status }: Client): object {
  return {
    id,
    accountNo: String(id).padStart(9, '0'),
    ...(externalId === undefined ? {} : { externalId }),
    status,
    active: status === ACTIVE,
    fullname: name,
    displayName: name,
    officeId: 1,
    officeName: 'Head Office',
    timeline: { submittedOnDate: [2026, 1, 5] },
  };
}
