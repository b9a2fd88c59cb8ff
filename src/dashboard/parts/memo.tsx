import { Component, type ComponentChild, type ComponentType } from 'preact';

/** Whether all props are the very same. */
export function areSame(a: object, b: object): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => Reflect.get(a, name) === Reflect.get(b, name));
}

/** The same part, drawn anew only when one of its props is another. */
export function memo<P extends object>(Part: (props: P) => ComponentChild): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      return !areSame(this.props, next);
    }

    override render(props: P): ComponentChild {
      return <Part {...props} />;
    }
  };
}
