-- Two types, one of which refers to the other, and a question about both.
-- docs/authoring.md has the whole vocabulary.

-- `tools` gives agents ready-made tools: create_author, find_book and so on.
-- What they are given is checked by what stands here, and so is every write.
node_type "Author" {
  description = "Somebody who has written books.",
  fields = {
    { "name", text { min_length = 2, max_length = 80, unique = true, search = true } },
    { "country", text { pattern = "^[A-Z]{2}$", optional = true, description = "Two letters, as in ISO 3166." } },
  },
  tools = { "create", "update", "find" },
}

-- With `by`, callers may name the author of a book by name as well as by id.
node_type "Book" {
  description = "A book, and who has written it.",
  label = "title",
  fields = {
    { "title", text { min_length = 1, max_length = 200, search = true } },
    { "author", ref "Author" { by = "name" } },
    { "year", integer { min_value = 1450, max_value = 2100 } },
    { "genre", text { one_of = { "novel", "science", "poetry" }, default = "novel" } },
  },
  unique = { { "author", "title" } },
  tools = { "create", "update", "delete", "find" },
}

-- A capability is a function of your own. This one only reads.
capability "newest_books" {
  description = "The newest books, perhaps of one genre.",
  input = {
    genre = text { one_of = { "novel", "science", "poetry" }, optional = true },
    since = integer { default = 1900, description = "The first year that counts." },
  },
  side_effects = {},
  run = function(ctx, args)
    local filter = { genre = args.genre, year = { min = args.since } }
    local books = ctx.kg:where("Book", filter, { order = "-year", limit = 10 })
    for i, book in ipairs(books) do
      books[i] = ("%s, by %s (%d)"):format(book.title, ctx.kg:label(book.author), book.year)
    end
    return { books = array(books) }
  end,
}
