import { type Exchange, refusalsOf } from '../calls/exchange.js';
import { StatusChip } from '../calls/exchange-card.js';

/** Reasons for a refused query; each code links to its page. */
export function Refused({ exchange, title }: { readonly exchange: Exchange; readonly title: string }) {
  return (
    <div class="notice bad" role="alert">
      <p class="notice-title">
        <StatusChip exchange={exchange} /> {title}
      </p>
      {refusalsOf(exchange).map(({ code, text }) => (
        <p key={code}>
          {code && (
            <a href={`/guide/errors/${code}`} target="_blank" rel="noopener noreferrer">
              <code>{code}</code>
            </a>
          )}{' '}
          {text}
        </p>
      ))}
    </div>
  );
}
