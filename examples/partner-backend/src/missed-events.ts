import type { PartnerEvent } from '@fd/client/server';

/** The service no longer keeps the event of `after`. */
const CURSOR_UNKNOWN = 'SVCUSER2922';

/** Yields the events that the service keeps, those behind AFTER if it is given, page by page and in their order. */
export async function* missedEvents(
  usersUrl: string,
  key: string,
  after: string | undefined,
): AsyncGenerator<PartnerEvent[], void> {
  for (let [last, hasMore] = [after, true]; hasMore;) {
    const answer = await fetch(`${usersUrl}/partner/v1/events?limit=100${last ? `&after=${last}` : ''}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(10_000),
    });
    if (last && answer.status === 400 && (await codeOf(answer)) === CURSOR_UNKNOWN) {
      // older than 30 days, perhaps because nothing has happened since: what is kept is newer
      last = undefined;
      continue;
    }
    if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
    const { payload } = (await answer.json()) as { payload: { events: PartnerEvent[]; has_more: boolean } };
    yield payload.events;
    last = payload.events.at(-1)?.id ?? last;
    hasMore = payload.has_more;
  }
}

/** The code of a refusal. */
async function codeOf(answer: Response): Promise<string | undefined> {
  const { error } = (await answer.json()) as { error: readonly { readonly errorCode: string }[] };
  return error[0]?.errorCode;
}
