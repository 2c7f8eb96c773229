import { type Exchange, isGood, payloadOf } from '../calls/exchange.js';
import { countFrom } from '../calls/send.js';
import type { OpenApi } from '../forms/open-api.js';
import type { Body } from '../forms/schema.js';
import { announce } from '../shell/announcer.js';
import { type Person, sandbox, type Settings } from '../shell/sandbox-api.js';
import { Store } from '../shell/store.js';
import { act, noSuchCall } from './auto-walk.js';
import { amountAndTenure, type ChosenDeposit, wishFor } from './deposit.js';
import { decided, type Facts, learn, NO_FACTS, refused } from './facts.js';
import type { BookingCheck, Call, Journey } from './journey.js';
import { type Action, callsOf, nextAction, type Surroundings } from './plan.js';
import { type KeptWalk, keepWalk, keptWalk } from './kept-walk.js';
import { bodyFor, personAfter } from './prefill.js';
import { keepPerson, type TestPerson, testPeople } from './people.js';
import { SessionCalls, tokensOf } from './session-calls.js';
import { isDecided, type WaitingFor, waitingFor } from './waiting-for.js';

/** The newest calls that are kept to be shown. */
const KEPT_EXCHANGES = 200;
/** A walk that does the same again and again comes to nothing. */
const MOST_ACTIONS = 60;
const MOST_REPEATS = 20;
const PAUSE_MS = 300;
const KEEP_AFTER_MS = 250;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface WalkState {
  readonly slug: string;
  readonly person: Person | undefined;
  readonly token: string;
  readonly refreshToken: string;
  readonly facts: Facts;
  readonly journey: Journey | undefined;
  readonly booking: BookingCheck | undefined;
  /** Chosen in Quotes; it stays when the person changes. */
  readonly deposit: ChosenDeposit | undefined;
  /** What users-service says of its calls. */
  readonly document: OpenApi | undefined;
  /** People of this tab whose journey was left for another's. */
  readonly people: readonly TestPerson[];
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

interface LastCall {
  readonly call: Call;
  readonly body: Body | undefined;
  readonly key: string | undefined;
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
  private lastCall: LastCall | undefined;
  private keeping: ReturnType<typeof setTimeout> | undefined;
  private readonly calls: SessionCalls;

  constructor(readonly settings: Settings) {
    super({
      ...NEW_WALK,
      ...{ slug: settings.issuers[0] ?? '', person: undefined, document: undefined, exchanges: [] },
      ...{ deposit: undefined, people: testPeople() },
      ...{ isBusy: false, isWalking: false },
    });
    this.calls = new SessionCalls(settings.users_base_url, {
      session: () => this.state,
      keep: (tokens) => this.set(tokens),
      record: (exchange) =>
        this.set({ exchanges: [exchange, ...this.state.exchanges].slice(0, KEPT_EXCHANGES) }),
    });
    this.subscribe(() => this.keepSoon());
    addEventListener('pagehide', () => this.keepNow());
    const kept = keptWalk();
    if (kept && settings.issuers.includes(kept.slug)) void this.resume(kept);
    else void this.begin();
  }

  /** Many changes are kept at once: a whole walk is a megabyte to write. */
  private keepSoon(): void {
    this.keeping ??= setTimeout(() => this.keepNow(), KEEP_AFTER_MS);
  }

  /** Stores changes since the last time. */
  private keepNow(): void {
    if (this.keeping === undefined) return;
    clearTimeout(this.keeping);
    this.keeping = undefined;
    keepWalk(this.state);
  }

  get surroundings(): Surroundings {
    const { slug, facts, document } = this.state;
    return { slug, facts, document };
  }

  get next(): Action {
    const { journey, facts, booking } = this.state;
    return nextAction(journey, facts, booking);
  }

  /** Starts with a new person. */
  async begin(): Promise<void> {
    this.isStopped = true;
    try {
      const person = await sandbox.person();
      const people = this.keptPeople();
      this.set({ ...NEW_WALK, person, people, exchanges: [] });
      await this.readDocument();
    } catch (error) {
      this.set({ problem: (error as Error).message });
    }
  }

  private keptPeople(): readonly TestPerson[] {
    const { slug, deposit, person, token, refreshToken, facts, journey, booking } = this.state;
    return keepPerson({ slug, deposit, person, token, refreshToken, facts, journey, booking });
  }

  /** Another person of this tab, where the journey was left; the log goes on. */
  async switchTo(person: TestPerson): Promise<void> {
    this.isStopped = true;
    this.set({ ...NEW_WALK, ...person, people: this.keptPeople() });
    await this.readJourney();
  }

  /** Restores the stored state after a reload. */
  private async resume(kept: KeptWalk): Promise<void> {
    countFrom(Math.max(0, ...kept.exchanges.map(({ id }) => id)));
    this.set(kept);
    await this.readDocument();
    await this.readJourney();
  }

  /** Changes the issuer: keeps the person's steps, and drops those of the issuer. */
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

  /** The deposit that the journey is about from now on, with its issuer. */
  async chooseDeposit(deposit: ChosenDeposit): Promise<void> {
    this.set({ deposit });
    if (deposit.slug !== this.state.slug) await this.chooseIssuer(deposit.slug);
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

  /** Makes one call for the user; a POST without a key gets a new one. */
  async perform(call: Call, body: Body | undefined, given?: string): Promise<Exchange> {
    const key = call.method === 'POST' ? (given ?? crypto.randomUUID()) : undefined;
    this.lastCall = { call, body, key };
    this.set({ isBusy: true, failure: undefined, problem: undefined });
    const exchange = await this.calls.make(call, body, { key });
    await this.takeAnswer(call, body, exchange);
    return exchange;
  }

  private async takeAnswer(call: Call, body: Body | undefined, exchange: Exchange): Promise<void> {
    this.set({ isBusy: true, failure: undefined, problem: undefined });
    if (isGood(exchange)) {
      this.takeIn(call, body, exchange);
      this.set({ chosen: undefined });
    } else {
      const { facts } = this.state;
      this.set({ failure: exchange, facts: isDecided(exchange) ? refused(facts, call.key) : facts });
      announce(`${call.title} failed`);
    }
    await this.readJourney();
    this.set({ isBusy: false, outcome: exchange });
  }

  /** Makes a call with valid values, such as one that replaces an ended request. */
  async restart(step: string, key: string): Promise<void> {
    const call = callsOf(step, this.state.journey, this.surroundings).find((one) => one.key === key);
    if (call) await this.perform(call, this.bodyOf(call));
    else this.giveUp(noSuchCall(step, key));
  }

  /** Makes the newest call of the user once more, with its Idempotency-Key: it is done once at most. */
  async repeat(): Promise<void> {
    const { lastCall } = this;
    if (lastCall) await this.perform(lastCall.call, lastCall.body, lastCall.key);
  }

  /** Sends a request of the log once more, with its Idempotency-Key: the first answer is replayed. */
  async replay(exchange: Exchange): Promise<void> {
    this.set({ isBusy: true });
    await this.calls.repeat(exchange);
    await this.readJourney();
    this.set({ isBusy: false });
    announce('Repeated: the newest call of the log');
  }

  /** Ends the session of the person, and keeps the person's steps. */
  logInAgain(): void {
    this.set({ ...NEW_WALK });
  }

  /** Shows the due step instead of the chosen one. */
  followJourney(): void {
    this.set({ chosen: undefined, failure: undefined, outcome: undefined });
  }

  /** Reads something of the person for the console itself. */
  read(title: string, path: string): Promise<Exchange> {
    return this.calls.read(title, path);
  }

  /** The pending result, which is polled; undefined while the person must act. */
  get waiting(): WaitingFor | undefined {
    const { isBusy, isWalking, facts } = this.state;
    return isBusy || isWalking ? undefined : waitingFor(this.next, facts);
  }

  /** Asks once whether something that was decided elsewhere is decided; an answer that says so counts as the user's. */
  async look({ step, key }: WaitingFor): Promise<Exchange | undefined> {
    const call = callsOf(step, this.state.journey, this.surroundings).find((one) => one.key === key);
    if (!call) return undefined;
    const body = this.bodyOf(call);
    const { person, facts } = this.state;
    const exchange = await this.calls.make(call, body, { isBackground: true });
    // another person, or another request, meanwhile
    if (this.state.person !== person || this.state.facts !== facts || this.state.isBusy) return exchange;
    if (isDecided(exchange)) await this.takeDecision(call, body, exchange);
    return exchange;
  }

  private async takeDecision(call: Call, body: Body | undefined, exchange: Exchange): Promise<void> {
    const shown = { ...exchange, isBackground: false };
    const exchanges = this.state.exchanges.map((one) => (one.id === exchange.id ? shown : one));
    this.set({ exchanges });
    await this.takeAnswer(call, body, shown);
  }

  /** Says on a hosted page how it ends, as the person would. */
  async decide(what: 'ekyc' | 'locker', outcome: string): Promise<void> {
    const { facts } = this.state;
    this.set({ problem: undefined, failure: undefined, outcome: undefined });
    try {
      if (what === 'ekyc') await sandbox.endEkyc(facts.ekyc?.requestId ?? '', outcome);
      else await sandbox.endLocker(lockerIdOf(facts), outcome);
    } catch {
      // it was ended on its page, or in the list of open ones
    }
    // it may have been asked meanwhile, and be another request already
    if (this.state.facts === facts) this.set({ facts: decided(facts, what), chosen: undefined });
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
      if (times > MOST_REPEATS || !(await act(this, action))) break;
      // a repeated call waits first
      if (times > 1) await pause(PAUSE_MS);
    }
    this.set({ isWalking: false });
  }

  stop(): void {
    this.isStopped = true;
  }

  /** Says why the journey does not go on. */
  giveUp(problem: string): false {
    this.set({ problem });
    return false;
  }

  /** The prefilled body of a call for this person. */
  bodyOf(call: Call): Body | undefined {
    const { person, facts, journey, slug } = this.state;
    if (!person) return undefined;
    const partnerUrl = this.settings.partner_url;
    const issuerCode = journey?.issuer_code ?? '';
    const deposit = amountAndTenure(wishFor(slug, issuerCode, this.state.deposit));
    const filling = { person, partnerUrl, facts, issuerCode, deposit, now: new Date() };
    return bodyFor(call, { ...filling, uuid: () => crypto.randomUUID() });
  }

  private takeIn(call: Call, body: Body | undefined, exchange: Exchange): void {
    const { person, facts } = this.state;
    const payload = payloadOf(exchange);
    this.set({ facts: learn(facts, call.key, payload), person: person && personAfter(person, call, body) });
    if (call.key === 'LOGIN') this.set(tokensOf(payload));
    if (call.key === 'booking') this.set({ booking: payload as unknown as BookingCheck });
  }

  private async readDocument(): Promise<void> {
    if (this.state.document) return;
    const path = '/openapi.json';
    const exchange = await this.calls.read('The API document of users-service', path);
    if (isGood(exchange)) this.set({ document: exchange.answer!.body as OpenApi });
    else this.set({ problem: exchange.problem ?? 'users-service does not serve its API document.' });
  }

  private async readJourney(): Promise<void> {
    if (this.state.token === '') return;
    const exchange = await this.calls.read(
      'Where does the journey stand?',
      `/issuer-apis/${this.state.slug}/v1/journey`,
    );
    if (isGood(exchange)) this.set({ journey: payloadOf(exchange) as unknown as Journey });
    else this.set({ failure: this.state.failure ?? exchange });
  }
}

/** The locker's own id of the session, which its page has as its address. */
const lockerIdOf = ({ lockerUrl }: Facts): string => lockerUrl.split('/').at(-1) ?? '';
