import { CommandError } from '@fd/platform';
import { validate as isUuid } from 'uuid';

/**
 * Normalises an id to lower case as in PostgreSQL, because signatures and encryption cover it.
 * @param problem message of the error
 * @throws CommandError with that message
 */
export function idOf(text: string | undefined, problem: string): string {
  if (!isUuid(text)) throw new CommandError(problem);
  return (text as string).toLowerCase();
}
