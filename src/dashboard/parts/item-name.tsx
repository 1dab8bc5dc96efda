// An item as people know it: its image and title. Its id stands in the tooltip, or beside it.

import { itemAddress } from '../addresses.ts'
import { useLabel } from '../api/use-label.ts'

interface ItemNameProps {
  readonly item: string
  /** Whether the id stands beside the title. */
  readonly hasId?: boolean
}

export function ItemName({ item, hasId }: ItemNameProps) {
  const { title, image } = useLabel(item)
  return (
    <span class="item-name" title={item}>
      {image !== null && <img src={image} alt="" loading="lazy" />}
      <span>
        {title ?? item}
        {hasId && title !== null && <small class="soft"> {item}</small>}
      </span>
    </span>
  )
}

/** Leads to what the service knows about the item. */
export function ItemLink(props: ItemNameProps) {
  return (
    <a href={itemAddress(props.item)}>
      <ItemName {...props} />
    </a>
  )
}

/** Titles have commas of their own. */
export const separator = ' · '

/** The same as text alone, where there is no room for images. */
export function ItemNames({ items }: { readonly items: readonly string[] }) {
  return (
    <>
      {items.map((item, i) => (
        <span key={i}>
          {i > 0 && separator}
          <Title item={item} />
        </span>
      ))}
    </>
  )
}

export function Title({ item }: Pick<ItemNameProps, 'item'>) {
  return <span title={item}>{useLabel(item).title ?? item}</span>
}
