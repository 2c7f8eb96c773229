import { type Exchange, isGood, payloadOf } from '../calls/exchange.js';
import { countFrom, send } from '../calls/send.js';
import { type OpenApi, takesIssuerCode } from '../forms/open-api.js';
import type { Body } from '../forms/schema.js';
import { announce } from '../shell/announcer.js';
import { type Person, sandbox, type Settings } from '../shell/sandbox-api.js';
import { Store } from '../shell/store.js';
import { decided, type Facts, learn, NO_FACTS } from './facts.js';
import type { BookingCheck, Call, Journey } from './journey.js';
import { type Action, bookingCall, callsOf, nextAction, type Surroundings } from './plan.js';
import { type KeptWalk, keepWalk, keptWalk } from './kept-walk.js';
import { bodyFor, codeAddress, personAfter } from './prefill.js';

/** The newest calls that are kept to be shown. */
const KEPT_EXCHANGES = 200;
/** A walk that does the same again and again comes to nothing. */
const MOST_ACTIONS = 60;
const MOST_REPEATS = 20;
const PAUSE_MS = 300;
const KEEP_AFTER_MS = 250;
const CODE_LIMIT_MS = 8_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface WalkState {
  readonly slug: string;
  readonly person: Person | undefined;
  readonly token: string;
  readonly refreshToken: string;
  readonly facts: Facts;
  readonly journey: Journey | undefined;
  readonly booking: BookingCheck | undefined;
  /** What users-service says of its calls. */
  readonly document: OpenApi | undefined;
  /** Newest first. */
  readonly exchanges: readonly Exchange[];
  /** The step that is looked at; undefined follows the journey. */
  readonly chosen: { readonly step: string; readonly key: string } | undefined;
  readonly isBusy: boolean;
  readonly isWalking: boolean;
  /** Why something could not be begun, or came to an end. */
  readonly problem: string | undefined;
  /** The newest call that the user made. */
  readonly outcome: Exchange | undefined;
  /** The newest call that the user made, when it failed. */
  readonly failure: Exchange | undefined;
}

const NEW_WALK = {
  ...{
    token: '',
    refreshToken: '',
    facts: NO_FACTS,
    journey: undefined,
    booking: undefined,
    chosen: undefined,
  },
  ...{ problem: undefined, failure: undefined, outcome: undefined },
};

/** One person on the way to a deposit: the calls so far, the facts learned, and the next call. */
export class Walker extends Store<WalkState> {
  private isStopped = false;
  private keeping: ReturnType<typeof setTimeout> | undefined;
  private renewing: Promise<boolean> | undefined;

  constructor(private readonly settings: Settings) {
    super({
      ...NEW_WALK,
      ...{ slug: settings.issuers[0] ?? '', person: undefined, document: undefined, exchanges: [] },
      ...{ isBusy: false, isWalking: false },
    });
    this.subscribe(() => this.keepSoon());
    const kept = keptWalk();
    if (kept && settings.issuers.includes(kept.slug)) void this.resume(kept);
    else void this.begin();
  }

  /** Many changes are kept at once: a whole walk is a megabyte to write. */
  private keepSoon(): void {
    this.keeping ??= setTimeout(() => {
      this.keeping = undefined;
      keepWalk(this.state);
    }, KEEP_AFTER_MS);
  }

  get surroundings(): Surroundings {
    const { slug, facts, document } = this.state;
    return { slug, facts, document };
  }

  get next(): Action {
    const { journey, facts, booking } = this.state;
    return nextAction(journey, facts, booking);
  }

  /** Somebody new, with nothing done yet. */
  async begin(): Promise<void> {
    this.isStopped = true;
    try {
      const person = await sandbox.person();
      this.set({ ...NEW_WALK, person, exchanges: [] });
      await this.readDocument();
    } catch (error) {
      this.set({ problem: (error as Error).message });
    }
  }

  /** Goes on with what was kept before the page was loaded again. */
  private async resume(kept: KeptWalk): Promise<void> {
    countFrom(Math.max(0, ...kept.exchanges.map(({ id }) => id)));
    this.set(kept);
    await this.readDocument();
    await this.readJourney();
  }

  /** Another issuer: what was done for the person stays done, what was done for the issuer is not. */
  async chooseIssuer(slug: string): Promise<void> {
    const { isCodeAsked } = this.state.facts;
    this.set({
      slug,
      facts: { ...NO_FACTS, isCodeAsked },
      journey: undefined,
      booking: undefined,
      chosen: undefined,
    });
    this.set({ failure: undefined, outcome: undefined, problem: undefined });
    await this.readJourney();
  }

  /** Shows a step that an address names; the outcome of the last call stays. */
  follow(step: string): void {
    this.set({ chosen: { step, key: step } });
  }

  choose(step: string, key: string): void {
    this.set({ chosen: { step, key }, failure: undefined, outcome: undefined, problem: undefined });
  }

  clearExchanges(): void {
    this.set({ exchanges: [] });
  }

  /** Makes one call for the user. */
  async perform(call: Call, body: Body | undefined): Promise<Exchange> {
    this.set({ isBusy: true, failure: undefined, problem: undefined });
    const exchange = await this.make(call, body);
    if (isGood(exchange)) {
      this.takeIn(call, body, exchange);
      this.set({ chosen: undefined });
    } else {
      this.set({ failure: exchange });
      announce(`${call.title} failed`);
    }
    await this.readJourney();
    this.set({ isBusy: false, outcome: exchange });
    return exchange;
  }

  /** Says on a hosted page how it ends, as the person would. */
  async decide(what: 'ekyc' | 'locker', outcome: string): Promise<void> {
    const { facts } = this.state;
    this.set({ problem: undefined, failure: undefined, outcome: undefined });
    try {
      if (what === 'ekyc') await sandbox.endEkyc(facts.ekyc?.requestId ?? '', outcome);
      else await sandbox.endLocker(lockerIdOf(facts), outcome);
    } catch {
      // it was ended on its page, or in the list of those that wait
    }
    this.set({ facts: decided(this.state.facts, what), chosen: undefined });
  }

  /** The newest code that an address was sent; waits a while for it. */
  async codeFor(address: string): Promise<string | undefined> {
    for (const end = Date.now() + CODE_LIMIT_MS; Date.now() < end; await pause(PAUSE_MS)) {
      const messages = await sandbox.messages(address).catch(() => []);
      const code = messages.find((message) => message.code !== null)?.code;
      if (code) return code;
    }
    return undefined;
  }

  /** Does one thing after the other until the booking check, or until something fails. */
  async walk(): Promise<void> {
    this.isStopped = false;
    this.set({ isWalking: true, chosen: undefined, problem: undefined, failure: undefined });
    const done = new Map<string, number>();
    for (let actions = 0; actions < MOST_ACTIONS && !this.isStopped; actions++) {
      const action = this.next;
      const name = JSON.stringify(action);
      const times = (done.get(name) ?? 0) + 1;
      done.set(name, times);
      if (times > MOST_REPEATS) this.set({ problem: `The journey does not get on: ${name}` });
      if (times > MOST_REPEATS || !(await this.act(action))) break;
      // a repeated call waits first
      if (times > 1) await pause(PAUSE_MS);
    }
    this.set({ isWalking: false });
  }

  stop(): void {
    this.isStopped = true;
  }

  /** Returns whether to go on. */
  private async act(action: Action): Promise<boolean> {
    switch (action.kind) {
      case 'over':
        announce(action.isReady ? 'Ready to book' : 'Not ready to book');
        return false;
      case 'book':
        return isGood(await this.perform(bookingCall(this.surroundings), undefined));
      case 'decide':
        await this.decide(action.what, action.what === 'ekyc' ? 'verified' : 'allow');
        return true;
      case 'call':
        return this.actByCall(action.step, action.key);
    }
  }

  private async actByCall(step: string, key: string): Promise<boolean> {
    const call = callsOf(step, this.state.journey, this.surroundings).find((one) => one.key === key);
    if (!call) return this.giveUp(`There is no call "${key}" for the step ${step}.`);
    const body = this.bodyOf(call);
    const address = this.state.person && codeAddress(call, body, this.state.person);
    if (address === undefined) return isGood(await this.perform(call, body));
    const otp = await this.codeFor(address);
    if (otp === undefined) return this.giveUp(`No code has reached ${address}.`);
    return isGood(await this.perform(call, { ...body, otp }));
  }

  private giveUp(problem: string): false {
    this.set({ problem });
    return false;
  }

  /** What a call is filled with for this person. */
  bodyOf(call: Call): Body | undefined {
    const { person, facts, journey } = this.state;
    if (!person) return undefined;
    const partnerUrl = this.settings.partner_url;
    const filling = { person, partnerUrl, facts, issuerCode: journey?.issuer_code ?? '', now: new Date() };
    return bodyFor(call, { ...filling, uuid: () => crypto.randomUUID() });
  }

  private takeIn(call: Call, body: Body | undefined, exchange: Exchange): void {
    const { person, facts } = this.state;
    const payload = payloadOf(exchange);
    this.set({ facts: learn(facts, call.key, payload), person: person && personAfter(person, call, body) });
    if (call.key === 'LOGIN') this.set(tokensOf(payload));
    if (call.key === 'booking') this.set({ booking: payload as unknown as BookingCheck });
  }

  private async make(call: Call, body: Body | undefined, isBackground = false): Promise<Exchange> {
    const { token } = this.state;
    const exchange = await this.makeOnce(call, body, isBackground);
    if (exchange.answer?.status !== 401 || call.path.startsWith('/auth/')) return exchange;
    const isRenewed = token !== this.state.token || (await this.renewOnce());
    return isRenewed ? this.makeOnce(call, body, isBackground) : exchange;
  }

  /** Calls that are refused together renew together: a refresh token that is used twice ends the session. */
  private renewOnce(): Promise<boolean> {
    this.renewing ??= this.renewTokens().finally(() => (this.renewing = undefined));
    return this.renewing;
  }

  /** Exchanges the refresh token for new tokens; whether that succeeded. */
  private async renewTokens(): Promise<boolean> {
    const { refreshToken } = this.state;
    if (refreshToken === '') return false;
    const path = '/auth/api/v2/token/refresh';
    const call = { key: path, step: '', title: 'New tokens', method: 'POST', path, schema: undefined };
    const exchange = await this.makeOnce(call, { refresh_token: refreshToken }, true);
    if (isGood(exchange)) this.set(tokensOf(payloadOf(exchange)));
    return isGood(exchange);
  }

  private async makeOnce(call: Call, body: Body | undefined, isBackground: boolean): Promise<Exchange> {
    const { token, journey, document } = this.state;
    const url = new URL(this.settings.users_base_url + call.path);
    if (journey && document && takesIssuerCode(document, call.method, call.path))
      url.searchParams.set('issuer_code', journey.issuer_code);
    const headers = {
      ...(token === '' || call.path.startsWith('/auth/') ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const request = { method: call.method, url: url.href, headers, body };
    const exchange = await send(request, { title: call.title, isBackground });
    this.set({ exchanges: [exchange, ...this.state.exchanges].slice(0, KEPT_EXCHANGES) });
    return exchange;
  }

  private async readDocument(): Promise<void> {
    if (this.state.document) return;
    const path = '/openapi.json';
    const exchange = await this.makeBackground('The API document of users-service', path);
    if (isGood(exchange)) this.set({ document: exchange.answer!.body as OpenApi });
    else this.set({ problem: exchange.problem ?? 'users-service does not serve its API document.' });
  }

  private async readJourney(): Promise<void> {
    if (this.state.token === '') return;
    const exchange = await this.makeBackground(
      'Where does the journey stand?',
      `/issuer-apis/${this.state.slug}/v1/journey`,
    );
    if (isGood(exchange)) this.set({ journey: payloadOf(exchange) as unknown as Journey });
    else this.set({ failure: this.state.failure ?? exchange });
  }

  private makeBackground(title: string, path: string): Promise<Exchange> {
    return this.make({ key: path, step: '', title, method: 'GET', path, schema: undefined }, undefined, true);
  }
}

/** The locker's own id of the session, which its page has as its address. */
const lockerIdOf = ({ lockerUrl }: Facts): string => lockerUrl.split('/').at(-1) ?? '';

const tokensOf = (payload: Readonly<Record<string, unknown>>) => ({
  token: String(payload['access_token']),
  refreshToken: String(payload['refresh_token']),
});
