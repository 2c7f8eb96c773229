import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { maskedBody, maskedHeaders, maskedPath } from './masked.js';

/** Maximum of stored calls, and of the characters of their JSON together; the oldest are dropped first. */
export const WIRE_CAPACITY = 500;
export const WIRE_CHARACTERS = 4 * 1024 * 1024;

/** Maximum of stored characters of a body. */
export const BODY_CHARACTERS = 16 * 1024;

/** An HTTP call between a client and a played service. */
export interface WireCall {
  /** A webhook is sent by the sandbox; any other call is received. */
  readonly kind: 'call' | 'webhook';
  /** `msg91`, `pan`, `issuer:kaveri`, ... */
  readonly provider: string;
  readonly at: Date;
  readonly method: string;
  /** With its query; the whole URL of a webhook. */
  readonly path: string;
  readonly requestHeaders: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly requestBody: string;
  /** Null: no answer. */
  readonly status: number | null;
  readonly responseBody: string;
  readonly durationMs: number;
}

export interface RecordedCall extends WireCall {
  /** UUIDv7, in the order of recording. */
  readonly id: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
}

/** The calls that went over the wire, without credentials, in memory. */
@Injectable()
export class Wire {
  private readonly calls = new Map<string, { readonly call: RecordedCall; readonly characters: number }>();

  /** Records an ended call. */
  record(call: WireCall): void {
    const recorded: RecordedCall = {
      ...call,
      id: uuidv7(),
      path: maskedPath(call.path),
      requestHeaders: maskedHeaders(call.requestHeaders),
      requestBody: shortened(maskedBody(call.requestBody)),
      responseBody: shortened(maskedBody(call.responseBody)),
    };
    this.calls.set(recorded.id, { call: recorded, characters: JSON.stringify(recorded).length });
    this.dropOldest();
  }

  /** Returns calls, newest first; of one provider and recorded after a call where these are given. */
  list({
    provider,
    after,
  }: { provider?: string | undefined; after?: string | undefined } = {}): RecordedCall[] {
    return [...this.calls.values()]
      .map(({ call }) => call)
      .filter((call) => provider === undefined || call.provider === provider)
      .filter(({ id }) => after === undefined || id > after)
      .reverse();
  }

  private dropOldest(): void {
    let total = 0;
    for (const { characters } of this.calls.values()) total += characters;
    for (const [id, { characters }] of this.calls) {
      if (this.calls.size <= WIRE_CAPACITY && total <= WIRE_CHARACTERS) return;
      this.calls.delete(id);
      total -= characters;
    }
  }
}

function shortened(text: string): string {
  if (text.length <= BODY_CHARACTERS) return text;
  return `${text.slice(0, BODY_CHARACTERS)}… (cut: ${text.length} characters)`;
}
