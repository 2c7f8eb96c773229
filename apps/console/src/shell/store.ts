import { useEffect, useState } from 'preact/hooks';

/** A state that several components share. */
export class Store<State extends object> {
  private readonly listeners = new Set<() => void>();

  constructor(private current: State) {}

  get state(): State {
    return this.current;
  }

  protected set(changes: Partial<State>): void {
    this.current = { ...this.current, ...changes };
    for (const listener of this.listeners) listener();
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}

/** Returns the state of a store, and renders the component again whenever it changes. */
export function useStore<State extends object>(store: Store<State>): State {
  const [state, setState] = useState(store.state);
  useEffect(() => {
    const follow = (): void => setState(store.state);
    follow();
    return store.subscribe(follow);
  }, [store]);
  return state;
}
