import { ProviderError } from '@fd/errors';
import { isFree, mayAskAnother } from './provider-errors.js';

export class ProviderList<Provider extends { readonly name: string }> {
  /**
   * @param setting that lists them
   * @param inOrder at least one, in order of preference
   */
  constructor(
    private readonly setting: string,
    readonly inOrder: readonly Provider[],
  ) {}

  /** @throws ProviderError when the settings no longer name it */
  named(name: string): Provider {
    const found = this.inOrder.find((provider) => provider.name === name);
    if (found) return found;
    throw new ProviderError(name, 'misconfigured', { detail: `not in ${this.setting}` });
  }

  /**
   * Starts an operation at the first provider that accepts it. Tries the next one only after a failure that proves that
   * the previous one did nothing.
   * @param chosen the provider of an earlier try, which goes first; null without one
   * @param isAsked whether to ask a provider now; at least one
   * @throws ProviderError of the first provider that may have charged for its failure; else of the last one
   */
  async begin<T>(
    chosen: string | null,
    at: (provider: Provider) => Promise<T>,
    isAsked: (provider: Provider) => boolean = () => true,
  ): Promise<T> {
    const isChosen = ({ name }: Provider): boolean => name === chosen;
    const asked = this.inOrder.filter(isAsked);
    const order = [...asked.filter(isChosen), ...asked.filter((one) => !isChosen(one))];
    const last = order.pop()!;
    let counted: unknown;
    for (const provider of order) {
      try {
        return await at(provider);
      } catch (error) {
        if (!mayAskAnother(error)) throw error;
        if (!isFree(error)) counted ??= error;
      }
    }
    try {
      return await at(last);
    } catch (error) {
      throw counted !== undefined && isFree(error) ? counted : error;
    }
  }
}
