# What the page of a report does, in plain R: its digest, and the file that it saves.

# What stands between two texts.
between <- function(page, before, after) {
  start <- regexpr(before, page, fixed = TRUE)
  rest <- substring(page, start + attr(start, "match.length"))
  substring(rest, 1, regexpr(after, rest, fixed = TRUE) - 1)
}

# SHA-256 of bytes, by its definition (FIPS 180-4); words are 32 bits, the highest first
sha256 <- function(bytes) {
  bits <- function(v) v %/% 2^(31:0) %% 2 == 1
  value <- function(b) sum(2^(31:0)[b])
  turn <- function(b, k) b[(seq_along(b) - 1 - k) %% 32 + 1]
  shift <- function(b, k) c(rep(FALSE, k), b[seq_len(32 - k)])
  primes <- Filter(function(p) all(p %% seq_len(p)[-c(1, p)] != 0), 2:311)
  start <- floor(sqrt(primes[1:8]) %% 1 * 2^32)
  constants <- floor(primes[1:64]^(1 / 3) %% 1 * 2^32)
  n <- length(bytes)
  padded <- c(as.integer(bytes), 128, rep(0, (55 - n) %% 64), 8 * n %/% 256^(7:0) %% 256)
  words <- matrix(colSums(matrix(padded, 4) * 256^(3:0)), 16)
  for (block in seq_len(ncol(words))) {
    w <- lapply(words[, block], bits)
    for (t in 17:64) {
      a <- w[[t - 15]]
      b <- w[[t - 2]]
      sum <- value(w[[t - 16]]) + value(w[[t - 7]]) +
        value(xor(xor(turn(a, 7), turn(a, 18)), shift(a, 3))) +
        value(xor(xor(turn(b, 17), turn(b, 19)), shift(b, 10)))
      w[[t]] <- bits(sum %% 2^32)
    }
    s <- lapply(start, bits)
    for (t in 1:64) {
      e <- s[[5]]
      a <- s[[1]]
      first <- value(s[[8]]) + value(xor(xor(turn(e, 6), turn(e, 11)), turn(e, 25))) +
        value(ifelse(e, s[[6]], s[[7]])) + constants[t] + value(w[[t]])
      second <- value(xor(xor(turn(a, 2), turn(a, 13)), turn(a, 22))) +
        value(a + s[[2]] + s[[3]] >= 2)
      s <- c(
        list(bits((first + second) %% 2^32)), s[1:3],
        list(bits((value(s[[4]]) + first) %% 2^32)), s[5:7]
      )
    }
    start <- (start + vapply(s, value, 1)) %% 2^32
  }
  as.raw(c(rbind(start %/% 2^24, start %/% 2^16 %% 256, start %/% 2^8 %% 256, start %% 256)))
}

base64 <- function(bytes) {
  bits <- as.vector(vapply(as.integer(bytes), function(v) v %/% 2^(7:0) %% 2, numeric(8)))
  six <- colSums(matrix(c(bits, rep(0, -length(bits) %% 6)), 6) * 2^(5:0))
  text <- c(LETTERS, letters, 0:9, "+", "/")[six + 1]
  paste(c(text, rep("=", -length(text) %% 4)), collapse = "")
}

# The file of answers to rows of a fit as a page saves it; `more` columns are identifiers
answers_csv <- function(file, row, recorded, answer, label, more = NULL, note = "") {
  cell <- function(v) paste0("\"", gsub("\"", "\"\"", enc2utf8(as.character(v))), "\"")
  table <- c(list(row = row), more, list(
    recorded = recorded, answer = answer, label = label, note = rep_len(note, length(row))
  ))
  columns <- lapply(table[-1], cell)
  lines <- c(
    paste(cell(names(table)), collapse = ","),
    do.call(paste, c(list(row), unname(columns), sep = ","))
  )
  con <- base::file(file, "wb")
  on.exit(close(con))
  writeBin(charToRaw(paste0(lines, "\n", collapse = "")), con)
}
