// Log lines of a service as a developer reads them: one JSON object a line becomes "level message".

const levels = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 };

/** The parts of LINE that matter: its level's rank, and the text to show. What is no JSON (a crash) ranks as error. */
export function readLine(line) {
  let entry;
  try {
    entry = JSON.parse(line);
  } catch {
    return { rank: levels.error, text: line };
  }
  if (typeof entry !== 'object' || entry === null) return { rank: levels.error, text: line };
  const { level, msg, err, ...rest } = entry;
  const fields = Object.entries(rest).filter(([name]) => !['time', 'service', 'context'].includes(name));
  const details = fields.length > 0 ? JSON.stringify(Object.fromEntries(fields)) : undefined;
  const cause = err?.stack ?? err?.message;
  const text = [level, msg, details, cause].filter(Boolean).join(' ');
  return { rank: levels[level] ?? (Number(level) || levels.error), text };
}

/** Whether a line of this rank is shown without --verbose: only what may need somebody's attention. */
export const needsAttention = ({ rank }) => rank >= levels.warn;
