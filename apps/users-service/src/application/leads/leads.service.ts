import { Injectable } from '@nestjs/common';
import type { OpenLeadRequest } from '@fd/contracts';
import { IssuerErrors, JourneyErrors, LeadErrors, ProviderError } from '@fd/errors';
import { Clock } from '@fd/platform';
import { validate as isUuid } from 'uuid';
import {
  IssuerApis,
  type IssuerLead,
  type KycContext,
  type LeadApi,
  orUnavailable,
} from '../../integrations/index.js';
import type { Issuer } from '../../config/index.js';
import { ProviderCallLimit, type SessionIdentity } from '../../core/index.js';
import { ConsentsRepository } from '../../identity/index.js';
import { hasTerms, type LeadTerms, leadTerms } from './lead-terms.js';
import { type LeadOwner, LeadsRepository, type OpeningLead, type AcceptedLead } from './leads.repository.js';

/** `isNew`: whether this call opened the lead. */
type OpenLead = Pick<AcceptedLead, 'id' | 'expiresAt'> & { readonly isNew: boolean };

/** Maximum of tries: the stored lead may be closed, and the next may be an old lead whose answer was lost. */
const MAX_ROUNDS = 4;

/** Leads at issuers that require one. The issuer decides whether a lead is open; the service stores its id. */
@Injectable()
export class LeadsService {
  constructor(
    private readonly clock: Clock,
    private readonly issuers: IssuerApis,
    private readonly leads: LeadsRepository,
    private readonly consents: ConsentsRepository,
    private readonly limit: ProviderCallLimit,
  ) {}

  /**
   * Returns the user's open lead with an issuer, or opens one. It is stored before the issuer is called, with its id as
   * the key, so that parallel calls, and a call after a crash, get the same lead. A lead that the issuer has confirmed
   * within a minute is returned without another call.
   * @throws JourneyErrors.stepNotOffered, GeneralErrors.fieldInvalid, GeneralErrors.tooManyRequests,
   * ConsentErrors.withdrawn, IssuerErrors.unavailable
   */
  async open(session: SessionIdentity, issuer: Issuer, request: OpenLeadRequest): Promise<OpenLead> {
    const { userId } = session;
    const leadApi = this.leadApiOf(issuer);
    const terms = leadTerms(request);
    await this.consents.requireInForce(session, 'ISSUER_SHARING');
    const owner = { userId, issuer: issuer.slug };
    const known = await this.findConfirmed(owner, hasTerms(request));
    if (known) return known;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      await this.limit.take('issuer', userId);
      const lead = await this.leads.claimLead(owner, terms, hasTerms(request));
      const isOpening = lead.state === 'OPENING';
      const opened = await (isOpening
        ? this.openAtIssuer(leadApi, owner, lead)
        : this.confirm(leadApi, owner, lead));
      if (opened) return opened;
    }
    throw IssuerErrors.unavailable();
  }

  /**
   * Returns the KYC context of a lead: the issuer's documents and declarations.
   * @throws JourneyErrors.stepNotOffered, ConsentErrors.withdrawn, LeadErrors.unknown, LeadErrors.expired,
   * GeneralErrors.tooManyRequests, IssuerErrors.unavailable
   */
  async kycContext(session: SessionIdentity, issuer: Issuer, leadId: unknown): Promise<KycContext> {
    const { userId } = session;
    const leadApi = this.leadApiOf(issuer);
    const owner = { userId, issuer: issuer.slug };
    await this.consents.requireInForce(session, 'ISSUER_SHARING');
    if (!isUuid(leadId)) throw LeadErrors.unknown({ field: 'lead_id' });
    const lead = await this.leads.findById(owner, leadId as string);
    if (!lead || lead.state === 'OPENING') throw LeadErrors.unknown();
    const isAlive = this.isAlive(lead);
    if (isAlive) await this.limit.take('issuer', userId);
    const context = isAlive
      ? await orUnavailable('issuer', () => leadApi.kycContext(lead.issuerLeadId))
      : 'lead-expired';
    // issuers delete expired leads
    if (context === 'lead-expired' || context === 'unknown-lead') {
      await this.leads.close(owner, lead.id, 'EXPIRED');
      throw LeadErrors.expired();
    }
    await this.leads.recordKycContext(owner, lead.id, context.contextId);
    return context;
  }

  private leadApiOf(issuer: Issuer): LeadApi {
    const { leads } = this.issuers.forIssuer(issuer);
    if (!leads) throw JourneyErrors.stepNotOffered();
    return leads;
  }

  private async findConfirmed(owner: LeadOwner, hasTerms: boolean): Promise<OpenLead | undefined> {
    const lead = await this.leads.findConfirmed(owner);
    if (!lead || !this.isAlive(lead)) return undefined;
    if (hasTerms) await this.leads.noteTerms(owner);
    return { id: lead.id, expiresAt: lead.expiresAt, isNew: false };
  }

  /** @returns undefined if the issuer answers with an expired lead, whose first answer was lost */
  private async openAtIssuer(
    leadApi: LeadApi,
    owner: LeadOwner,
    { id, terms }: OpeningLead,
  ): Promise<OpenLead | undefined> {
    const taken = await orUnavailable('issuer', () => this.ask(leadApi, id, terms));
    const isNew = await this.leads.markOpen(owner, id, taken);
    return this.isAlive(taken) ? { id, expiresAt: taken.expiresAt, isNew } : undefined;
  }

  private async ask(leadApi: LeadApi, id: string, terms: LeadTerms): Promise<IssuerLead> {
    try {
      return await leadApi.open({ reference: id, ...terms }, id);
    } catch (error) {
      // the issuer refused these terms and did nothing; the next call may have others
      if (error instanceof ProviderError && error.failure === 'refused') await this.leads.discard(id);
      throw error;
    }
  }

  /** @returns undefined for an expired lead, which is closed here, too */
  private async confirm(
    leadApi: LeadApi,
    owner: LeadOwner,
    lead: AcceptedLead,
  ): Promise<OpenLead | undefined> {
    const known = this.isAlive(lead)
      ? await orUnavailable('issuer', () => leadApi.find(lead.issuerLeadId))
      : undefined;
    if (known && this.isAlive(known)) {
      await this.leads.noteConfirmed(lead.id, known.expiresAt);
      return { id: lead.id, expiresAt: known.expiresAt, isNew: false };
    }
    await this.leads.close(owner, lead.id, known?.state === 'CONVERTED' ? 'CONVERTED' : 'EXPIRED');
    return undefined;
  }

  private isAlive({ state, expiresAt }: Pick<AcceptedLead, 'state' | 'expiresAt'>): boolean {
    return state === 'OPEN' && expiresAt > this.clock.now();
  }
}
