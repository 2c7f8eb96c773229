import { newIdempotencyKey, type Tokens } from '@fd/client';
import { type Exchange, isGood, payloadOf } from '../calls/exchange.js';
import { countFrom } from '../calls/send.js';
import { sandboxClock } from '../clock/sandbox-clock.js';
import type { OpenApi } from '../forms/open-api.js';
import { agreementsOf, type Body } from '../forms/schema.js';
import { announce } from '../shell/announcer.js';
import { type MagicValue, type Person, sandbox, type Settings } from '../shell/sandbox-api.js';
import { Store } from '../shell/store.js';
import { act, noSuchCall } from './journey-runner.js';
import { afterRefusal, afterSuccess } from './answers.js';
import { amountAndTenure, type ChosenDeposit, queryFor } from './deposit.js';
import { decided, type Facts, NO_FACTS } from './facts.js';
import type { Call, Journey } from './journey.js';
import { type Action, callsOf, isStepOf, nextAction, stepOf, type Surroundings } from './plan.js';
import { keepStored, type StoredJourney, storedJourney, storedPerson } from './stored-journey.js';
import { bodyFor, inUse, unprovoked } from './prefill.js';
import { keepPerson, type TestPerson, testPeople } from './people.js';
import { recoveryOf } from './recovery.js';
import { SessionCalls } from './session-calls.js';
import { type LastCall, NEW_JOURNEY, type JourneyState } from './journey-state.js';
import { isDecided, isSucceeded, type WaitingFor, waitingFor } from './waiting-for.js';

/** Calls in the log. */
const KEPT_EXCHANGES = 200;
/** Stops an automatic run that makes no progress. */
const MOST_ACTIONS = 60;
const MOST_REPEATS = 20;
const PAUSE_MS = 300;

/** The answer to a call, and the user's choice when it was sent. */
interface Answered {
  readonly call: Call;
  readonly body: Body | undefined;
  readonly exchange: Exchange;
  readonly chosen: JourneyState['chosen'];
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The journey of one test person: past calls, facts from their answers, and the next call. */
export class JourneyClient extends Store<JourneyState> {
  private isStopped = false;
  /** Changes with the person, the session and the issuer: answers to earlier calls are dropped. */
  private epoch = 0;
  private lastCall: LastCall | undefined;
  private calls: SessionCalls;
  /** Until the first person or the stored journey is there, which would overwrite what the address asks for. */
  private starting: Promise<void> | undefined;

  constructor(
    readonly settings: Settings,
    private readonly magicValues: readonly MagicValue[],
  ) {
    super({
      ...NEW_JOURNEY,
      ...{ slug: settings.issuers[0] ?? '', person: undefined, provoked: {}, document: undefined },
      ...{ deposit: undefined, people: testPeople(), exchanges: [] },
      ...{ isBusy: false, isRunning: false },
    });
    this.calls = this.newCalls();
    keepStored(this);
    const kept = storedJourney();
    const isKept = kept && settings.issuers.includes(kept.slug);
    this.starting = (isKept ? this.resume(kept) : this.begin()).finally(() => (this.starting = undefined));
  }

  /** Returns the calls of one session, which change nothing once another session has begun. */
  private newCalls(): SessionCalls {
    const isCurrent = (): boolean => this.calls === calls;
    const calls: SessionCalls = new SessionCalls(this.settings.users_base_url, {
      state: () => this.state,
      storage: {
        read: () => (isCurrent() ? this.tokens : null),
        // refused tokens stay: the next call shows the refusal again
        write: (tokens) => (tokens && isCurrent() ? this.keepTokens(tokens) : undefined),
      },
      record: (exchange) =>
        isCurrent()
          ? this.set({ exchanges: [exchange, ...this.state.exchanges].slice(0, KEPT_EXCHANGES) })
          : undefined,
    });
    return calls;
  }

  private get tokens(): Tokens | null {
    const { token, refreshToken } = this.state;
    return token === '' ? null : { accessToken: token, refreshToken };
  }

  private keepTokens({ accessToken: token, refreshToken }: Tokens): void {
    this.set({ token, refreshToken });
  }

  /** Starts a new epoch: answers to calls under way are dropped. */
  private newEpoch(): void {
    this.isStopped = true;
    this.lastCall = undefined;
    this.set({ isBusy: false, isRunning: false });
    this.epoch += 1;
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
    this.newEpoch();
    const calls = (this.calls = this.newCalls());
    try {
      const person = await sandbox.person();
      if (calls !== this.calls) return;
      const people = this.keptPeople();
      this.set({ ...NEW_JOURNEY, person, provoked: {}, people, exchanges: [] });
      await this.readDocument();
    } catch (error) {
      this.set({ problem: (error as Error).message });
    }
  }

  private keptPeople(): readonly TestPerson[] {
    return keepPerson(storedPerson(this.state));
  }

  /** Continues the paused journey of another person of this tab; the log stays. */
  async switchTo(person: TestPerson): Promise<void> {
    this.newEpoch();
    this.calls = this.newCalls();
    this.set({ ...NEW_JOURNEY, ...person, people: this.keptPeople() });
    await this.readJourney();
  }

  /** Restores the stored state after a reload. */
  private async resume(kept: StoredJourney): Promise<void> {
    countFrom(Math.max(0, ...kept.exchanges.map(({ id }) => id)));
    this.set(kept);
    await this.readDocument();
    await this.readJourney();
  }

  /** Changes the issuer after the call under way: keeps the steps of the person, and resets those of the issuer. */
  async chooseIssuer(slug: string): Promise<void> {
    if (this.isOccupied) await this.whenIdle();
    this.newEpoch();
    this.set({ people: this.keptPeople() });
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

  /** Uses this deposit and its issuer from now on. */
  async chooseDeposit(deposit: ChosenDeposit): Promise<void> {
    this.set({ deposit });
    if (deposit.slug !== this.state.slug) await this.chooseIssuer(deposit.slug);
  }

  private get isOccupied(): boolean {
    return this.state.isBusy || this.state.isRunning;
  }

  /** Waits for the end of the user's call or of an automatic run. */
  private async whenIdle(): Promise<void> {
    while (this.isOccupied)
      await new Promise<void>((resolve) => {
        const leave = this.subscribe(() => {
          leave();
          resolve();
        });
      });
  }

  /** Shows issuer and step of the address, after the call under way; the outcome of the last call stays. */
  async follow(issuer: string, step: string): Promise<void> {
    if (this.starting) await this.starting;
    if (this.isOccupied) await this.whenIdle();
    if (issuer !== '' && issuer !== this.state.slug) await this.chooseIssuer(issuer);
    const shown = this.state.chosen?.step ?? stepOf(this.next);
    // an address with an issuer alone is that of the due step
    if (step === '' && issuer !== '' && this.state.chosen) this.set({ chosen: undefined });
    if (step === '' || step === shown) return;
    if (isStepOf(this.state.journey, step)) this.set({ chosen: { step, key: step } });
    else this.set({ chosen: undefined, problem: `There is no step “${step}” here: the due one is shown.` });
  }

  choose(step: string, key: string): void {
    this.set({ chosen: { step, key }, failure: undefined, outcome: undefined, problem: undefined });
  }

  clearExchanges(): void {
    this.set({ exchanges: [] });
  }

  /** Makes one call for the user; a POST without a key gets a new one. */
  async perform(call: Call, body: Body | undefined, given?: string): Promise<Exchange> {
    const key = call.method === 'POST' ? (given ?? newIdempotencyKey()) : undefined;
    const { epoch } = this;
    const { chosen } = this.state;
    this.lastCall = { call, body, key };
    this.set({ isBusy: true, failure: undefined, problem: undefined });
    const exchange = await this.calls.make(call, body, { key });
    if (epoch === this.epoch) await this.takeAnswer({ call, body, exchange, chosen });
    return exchange;
  }

  /** Applies an answer, and shows it unless the user has chosen another step since the call. */
  private async takeAnswer({ call, body, exchange, chosen }: Answered): Promise<void> {
    const { epoch } = this;
    this.set({ isBusy: true });
    const isShown = (): boolean => this.state.chosen === chosen;
    this.set(
      isGood(exchange)
        ? afterSuccess(this.state, call, body, exchange, this.magicValues)
        : afterRefusal(this.state, call, exchange),
    );
    if (isShown()) this.set({ problem: undefined, failure: isGood(exchange) ? undefined : exchange });
    if (!isGood(exchange)) announce(`${call.title} failed`);
    else if (!isShown()) announce(`${call.title}: answered`);
    const mayLeave = isGood(exchange) && isShown();
    await this.readJourney();
    if (epoch !== this.epoch) return;
    this.set({
      isBusy: false,
      ...(isShown() && { outcome: exchange }),
      ...(mayLeave && isShown() && { chosen: undefined }),
    });
  }

  /** Makes a call with valid values, such as one that replaces an ended request; opens its form if the person has to agree. */
  async restart(step: string, key: string): Promise<void> {
    const call = callsOf(step, this.state.journey, this.surroundings).find((one) => one.key === key);
    if (!call) this.giveUp(noSuchCall(step, key));
    else if (agreementsOf(call.schema).length > 0) this.choose(step, key);
    else await this.perform(call, this.bodyOf(call));
  }

  /** Repeats the user's latest call with its Idempotency-Key, so that it takes effect once. */
  async repeat(): Promise<void> {
    const { lastCall } = this;
    if (lastCall) await this.perform(lastCall.call, lastCall.body, lastCall.key);
  }

  /** The user's latest call with the person's own values; undefined if it provoked nothing. */
  private get plainCall(): LastCall | undefined {
    const { person } = this.state;
    const body = person && unprovoked(this.lastCall?.body, person, this.magicValues);
    return body && this.lastCall && { call: this.lastCall.call, body, key: undefined };
  }

  /** Whether the user's latest call contained a value that provokes a failure. */
  get hasProvoked(): boolean {
    return this.plainCall !== undefined;
  }

  /** Repeats the user's latest call without the values that provoke a failure. */
  async repeatPlainly(): Promise<void> {
    const { plainCall } = this;
    if (plainCall) await this.perform(plainCall.call, plainCall.body);
  }

  /** Sends a request of the log again with its Idempotency-Key: the service replays the first answer. */
  async replay(exchange: Exchange): Promise<void> {
    const { epoch } = this;
    this.set({ isBusy: true });
    await this.calls.repeat(exchange);
    if (epoch === this.epoch) await this.readJourney();
    if (epoch !== this.epoch) return;
    this.set({ isBusy: false });
    announce('Repeated: the newest call of the log');
  }

  /** Ends the session of the person, and keeps the person's steps. */
  logInAgain(): void {
    this.newEpoch();
    this.calls = this.newCalls();
    this.set({ ...NEW_JOURNEY });
  }

  /** Shows the due step instead of the chosen one. */
  followJourney(): void {
    this.set({ chosen: undefined, failure: undefined, outcome: undefined });
  }

  /** Reads data of the person for the console itself. */
  async read(title: string, path: string): Promise<Exchange> {
    const { epoch } = this;
    const exchange = await this.calls.read(title, path);
    const isSessionOver = !isGood(exchange) && recoveryOf(exchange).kind === 'log-in';
    // nothing can be booked without a session: after the next login it is checked again
    if (epoch === this.epoch && isSessionOver)
      this.set({ failure: this.state.failure ?? exchange, booking: undefined });
    return exchange;
  }

  /** The pending result, which is polled; undefined while the person must act. */
  get waiting(): WaitingFor | undefined {
    const { isBusy, isRunning, facts } = this.state;
    return isBusy || isRunning ? undefined : waitingFor(this.next, facts);
  }

  /** Polls a pending result once; the final answer is shown like an answer to the user's call. */
  async look({ step, key }: WaitingFor): Promise<Exchange | undefined> {
    const call = callsOf(step, this.state.journey, this.surroundings).find((one) => one.key === key);
    if (!call) return undefined;
    const body = this.bodyOf(call);
    const { epoch } = this;
    const { facts } = this.state;
    const exchange = await this.calls.make(call, body, { isBackground: true });
    // the person or the issuer changed during the call, or a call of the user is under way
    if (epoch !== this.epoch || this.state.isBusy || this.state.isRunning) return undefined;
    const isOver = key === 'EKYC' && isSucceeded(exchange, this.state.facts);
    // the request changed during the call
    if (this.state.facts !== facts && !isOver) return undefined;
    if (isOver || isDecided(exchange)) await this.takeDecision(call, body, exchange);
    return exchange;
  }

  private async takeDecision(call: Call, body: Body | undefined, exchange: Exchange): Promise<void> {
    const shown = { ...exchange, isBackground: false };
    const exchanges = this.state.exchanges.map((one) => (one.id === exchange.id ? shown : one));
    this.set({ exchanges });
    const { chosen } = this.state;
    // a result of one call does not close another call that the user has opened
    const isElsewhere = chosen !== undefined && chosen.key !== call.key;
    await this.takeAnswer({ call, body, exchange: shown, chosen: isElsewhere ? undefined : chosen });
  }

  /** Decides on a hosted page in the person's place. */
  async decide(what: 'ekyc' | 'locker', outcome: string): Promise<void> {
    const { epoch } = this;
    const { facts } = this.state;
    // a provider knows no phone that provokes a failure
    const phone = this.person?.phone.match(/^91[0-9]{10}$/)?.[0];
    this.set({ problem: undefined, failure: undefined, outcome: undefined });
    try {
      if (what === 'ekyc') await sandbox.endEkyc(facts.ekyc?.requestId ?? '', outcome, phone);
      else await sandbox.endLocker(lockerIdOf(facts), outcome, phone);
    } catch {
      // already decided on the hosted page or in the list of open requests
    }
    // a poll may have replaced the request meanwhile
    if (epoch === this.epoch && this.state.facts === facts)
      this.set({ facts: decided(facts, what), chosen: undefined });
  }

  /** Performs actions until the booking check or the first failure. */
  async run(): Promise<void> {
    const { epoch } = this;
    const isCurrent = (): boolean => epoch === this.epoch;
    this.isStopped = false;
    this.set({ isRunning: true, chosen: undefined, problem: undefined, failure: undefined });
    const done = new Map<string, number>();
    for (let actions = 0; actions < MOST_ACTIONS && isCurrent() && !this.isStopped; actions++) {
      const action = this.next;
      const name = JSON.stringify(action);
      const times = (done.get(name) ?? 0) + 1;
      done.set(name, times);
      if (times > MOST_REPEATS) this.set({ problem: `The journey makes no progress: ${name}` });
      if (times > MOST_REPEATS || !(await act(this, action))) break;
      // a repeated call waits first
      if (times > 1) await pause(PAUSE_MS);
    }
    if (isCurrent()) this.set({ isRunning: false });
  }

  stop(): void {
    this.isStopped = true;
  }

  /** Reports why the journey cannot continue. */
  giveUp(problem: string): false {
    this.set({ problem });
    return false;
  }

  /** The person with the values in use; undefined before there is one. */
  get person(): Person | undefined {
    const { person, provoked } = this.state;
    return person && inUse({ person, provoked });
  }

  /** The prefilled body of a call for this person. */
  bodyOf(call: Call): Body | undefined {
    const { facts, journey, slug } = this.state;
    const { person } = this;
    if (!person) return undefined;
    const partnerUrl = this.settings.partner_url;
    const issuerCode = journey?.issuer_code ?? '';
    const deposit = amountAndTenure(queryFor(slug, issuerCode, this.state.deposit));
    const filling = { person, partnerUrl, facts, issuerCode, deposit, now: sandboxClock.now() };
    return bodyFor(call, { ...filling, uuid: () => crypto.randomUUID() });
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
    const { epoch } = this;
    const exchange = await this.read('Journey status', `/issuer-apis/${this.state.slug}/v1/journey`);
    if (epoch !== this.epoch) return;
    if (isGood(exchange)) this.set({ journey: payloadOf(exchange) as unknown as Journey });
    else this.set({ failure: this.state.failure ?? exchange });
  }
}

/** The locker's session id, which is the last part of its page's address. */
const lockerIdOf = ({ lockerUrl }: Facts): string => lockerUrl.split('/').at(-1) ?? '';
