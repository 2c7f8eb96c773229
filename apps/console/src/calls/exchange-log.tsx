import { useState } from 'preact/hooks';
import { Empty, TextField } from '../shell/parts.js';
import type { ClientService } from './client-code.js';
import { ExchangeCard } from './exchange-card.js';
import { type Exchange, shownCalls } from './exchange.js';

/** All calls, newest first, with a search and filters. */
export function ExchangeLog(props: {
  readonly exchanges: readonly Exchange[];
  readonly service: ClientService;
  readonly onClear: () => void;
  readonly onRepeat: (exchange: Exchange) => void;
}) {
  const [isAll, setIsAll] = useState(false);
  const [search, setSearch] = useState('');
  const [isFailedOnly, setIsFailedOnly] = useState(false);
  const { shown, isHidden } = shownCalls(props.exchanges, { isAll, isFailedOnly, search });
  return (
    <section class="log" aria-labelledby="log">
      <div class="log-head">
        <h2 id="log">Requests and answers</h2>
        <label class="check">
          <input type="checkbox" checked={isAll} onChange={() => setIsAll(!isAll)} />
          with the console’s own
        </label>
        <label class="check">
          <input type="checkbox" checked={isFailedOnly} onChange={() => setIsFailedOnly(!isFailedOnly)} />
          failed only
        </label>
        <button type="button" class="quiet small" onClick={props.onClear}>
          Clear
        </button>
      </div>
      <TextField id="log-search" isSearch label="Search the log" value={search} onInput={setSearch} />
      {shown.length === 0 ? (
        <Empty title={isHidden ? 'No matching calls' : 'No calls yet'}>
          {isHidden ? 'No call of the log matches.' : 'Send the first call, or complete all steps.'}
        </Empty>
      ) : (
        <ol class="exchanges" aria-label="Requests and answers, newest first">
          {shown.map((exchange, index) => (
            <ExchangeCard
              key={exchange.id}
              exchange={exchange}
              isOpen={index === 0}
              service={props.service}
              onRepeat={props.onRepeat}
            />
          ))}
        </ol>
      )}
    </section>
  );
}
